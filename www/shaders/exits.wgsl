// A nest of exits: two loops, a switch, a return from the middle, and a break of the outer loop by a flag.
@group(0) @binding(0) var<storage, read_write> data: array<i32, 8>;

fn search(wanted: i32) -> i32 {
    var steps = 0;
    for (var row = 0; row < 4; row++) {
        var stop = false;
        for (var column = 0; column < 4; column++) {
            steps++;
            switch ((row * 4 + column + wanted) % 5) {
                case 0: {
                    continue;
                }
                case 1, 2: {
                    if (steps > 9) {
                        return steps;
                    }
                }
                case 3: {
                    stop = steps > 6;
                    break;
                }
                default: {
                    steps += 2;
                }
            }
            if (stop) {
                break;
            }
        }
        if (stop && row > 1) {
            break;
        }
    }
    return -steps;
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) index: u32) {
    data[index] = search(data[index] & 15);
}
