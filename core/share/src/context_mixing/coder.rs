//! Bits by their probability: an arithmetic coder with 32-bit bounds, in both directions.

/// Writes bits, or reads them.
pub(super) struct Coder<'code> {
    low: u32,
    high: u32,
    /// The decoder's input: the code, the offset of the next byte, and the current 32 bits.
    code: Option<&'code [u8]>,
    at: usize,
    window: u32,
    out: Vec<u8>,
}

impl<'code> Coder<'code> {
    /// An encoder.
    pub(super) fn writer() -> Coder<'code> {
        Coder { low: 0, high: u32::MAX, code: None, at: 0, window: 0, out: Vec::new() }
    }

    /// A decoder. The code is followed by zeros.
    pub(super) fn reader(code: &'code [u8]) -> Coder<'code> {
        let mut coder = Coder { code: Some(code), ..Coder::writer() };
        for _ in 0..4 {
            coder.window = coder.window << 8 | coder.next_byte();
        }
        coder
    }

    /// Encodes `bit` (0 or 1), or decodes one. `one` is the probability of a one, of 65536, from 1 to 65535.
    pub(super) fn code(&mut self, bit: u32, one: u32) -> u32 {
        let range = u64::from(self.high - self.low);
        let middle = self.low + ((range * u64::from(one)) >> 16) as u32;
        let bit = match self.code {
            Some(_) => u32::from(self.window <= middle),
            None => bit,
        };
        match bit {
            1 => self.high = middle,
            _ => self.low = middle + 1,
        }
        // Leading bytes that both bounds share are final.
        while (self.low ^ self.high) >> 24 == 0 {
            match self.code {
                Some(_) => self.window = self.window << 8 | self.next_byte(),
                None => self.out.push((self.high >> 24) as u8),
            }
            self.low <<= 8;
            self.high = self.high << 8 | 255;
        }
        bit
    }

    /// Returns true if some of the current bits are after the end of the code.
    pub(super) fn is_dry(&self) -> bool {
        self.code.is_some_and(|code| self.at > code.len())
    }

    /// Returns true if all of the current bits are after the end of the code.
    pub(super) fn is_over(&self) -> bool {
        self.code.is_some_and(|code| self.at >= code.len() + 4)
    }

    /// The code. It ends with a byte that no decoder reaches before all bits are decoded, see
    /// [`Coder::is_over`].
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
