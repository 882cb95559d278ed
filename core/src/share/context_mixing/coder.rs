//! Bits by their probability: an arithmetic coder with 32-bit bounds, for both directions.

/// Writes bits, or reads them.
pub(super) struct Coder<'code> {
    low: u32,
    high: u32,
    /// What is read: the code, the next byte of it, and the 32 bits at hand.
    code: Option<&'code [u8]>,
    at: usize,
    hand: u32,
    out: Vec<u8>,
}

impl<'code> Coder<'code> {
    /// One that writes.
    pub(super) fn writer() -> Coder<'code> {
        Coder { low: 0, high: u32::MAX, code: None, at: 0, hand: 0, out: Vec::new() }
    }

    /// One that reads; zeros follow the code.
    pub(super) fn reader(code: &'code [u8]) -> Coder<'code> {
        let mut coder = Coder { code: Some(code), ..Coder::writer() };
        for _ in 0..4 {
            coder.hand = coder.hand << 8 | coder.next_byte();
        }
        coder
    }

    /// Writes `bit` (0 or 1), or reads one. `one` is the probability of a one, of 65536, from 1 to 65535.
    pub(super) fn code(&mut self, bit: u32, one: u32) -> u32 {
        let range = u64::from(self.high - self.low);
        let middle = self.low + ((range * u64::from(one)) >> 16) as u32;
        let bit = match self.code {
            Some(_) => u32::from(self.hand <= middle),
            None => bit,
        };
        match bit {
            1 => self.high = middle,
            _ => self.low = middle + 1,
        }
        // Leading bytes that both bounds share are settled.
        while (self.low ^ self.high) >> 24 == 0 {
            match self.code {
                Some(_) => self.hand = self.hand << 8 | self.next_byte(),
                None => self.out.push((self.high >> 24) as u8),
            }
            self.low <<= 8;
            self.high = self.high << 8 | 255;
        }
        bit
    }

    /// Whether some of the bits at hand lie behind the end of the code.
    pub(super) fn is_dry(&self) -> bool {
        self.code.is_some_and(|code| self.at > code.len())
    }

    /// Whether what is read lies wholly behind the end of the code.
    pub(super) fn is_over(&self) -> bool {
        self.code.is_some_and(|code| self.at >= code.len() + 4)
    }

    /// The code. It ends with a byte that no reader comes to before all is read, see [`Coder::is_over`].
    pub(super) fn finish(mut self) -> Vec<u8> {
        // The shortest bytes between the bounds, if zeros follow them.
        let top = (self.low >> 24) + 1;
        match () {
            () if self.low == 0 => self.out.push(0),
            () if top < 256 && top << 24 <= self.high => self.out.push(top as u8),
            () => self.out.extend(self.high.to_be_bytes()),
        }
        self.out
    }

    fn next_byte(&mut self) -> u32 {
        let byte = self.code.and_then(|code| code.get(self.at)).copied().unwrap_or(0);
        self.at += 1;
        u32::from(byte)
    }
}
