//! The format strings of `vprintf`: those of C, with the arguments in memory as device code lays them out.

/// Maximum size in bytes of the printed text that is kept: as large as the buffer of hardware unless a program asks for more.
pub(super) const MAX_PRINTED_BYTES: usize = 1 << 20;

/// Formats a string. `value(at, bytes)` returns the number at a byte offset in the arguments, `text(address)` the string at an address.
///
/// Returns the output and the number of arguments, which is the result of `vprintf`.
pub(super) fn format(
    format: &[u8],
    mut value: impl FnMut(u64, usize) -> u64,
    mut text: impl FnMut(u64) -> Vec<u8>,
) -> (Vec<u8>, u32) {
    let mut out = Vec::new();
    let (mut at, mut count) = (0u64, 0);
    let mut rest = format;
    let mut next = |bytes: u64| {
        at = at.next_multiple_of(bytes);
        let found = value(at, bytes as usize);
        at += bytes;
        count += 1;
        found
    };
    while let Some((first, tail)) = rest.split_first().filter(|_| out.len() < MAX_PRINTED_BYTES) {
        rest = tail;
        if *first != b'%' {
            out.push(*first);
            continue;
        }
        let end = rest.iter().position(|c| b"diouxXcsfFeEgGaAp%".contains(c));
        let Some(end) = end else {
            out.push(b'%');
            continue;
        };
        let (spec, tail) = rest.split_at(end + 1);
        rest = tail;
        let (kind, flags) = (spec[end], &spec[..end]);
        if kind == b'%' {
            out.push(b'%');
            continue;
        }
        let mut spec = FormatSpec::default();
        let mut digits = None::<usize>;
        let mut in_precision = false;
        for flag in flags {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' if digits.is_none() && !in_precision => spec.zero = true,
                b'0'..=b'9' => digits = Some((digits.unwrap_or(0) * 10 + usize::from(flag - b'0')).min(4096)),
                b'*' => digits = Some((next(4) as u32 as usize).min(4096)),
                b'.' => {
                    spec.width = digits.take().unwrap_or(0);
                    in_precision = true;
                }
                b'l' | b'z' | b'j' | b't' => spec.long = true,
                _ => {}
            }
        }
        if in_precision {
            spec.precision = Some(digits.unwrap_or(0));
        } else {
            spec.width = digits.unwrap_or(0);
        }
        let bytes = if spec.long { 8 } else { 4 };
        let body = match kind {
            b'd' | b'i' => {
                let bits = next(bytes);
                let number = if spec.long { bits as i64 } else { i64::from(bits as i32) };
                spec.sign(number < 0) + &spec.digits(number.unsigned_abs().to_string())
            }
            b'u' => spec.digits(next(bytes).to_string()),
            b'o' => spec.digits(format!("{:o}", next(bytes))),
            b'x' | b'X' => {
                let number = next(bytes);
                let digits = spec.digits(format!("{number:x}"));
                let prefixed = if spec.alternate && number != 0 { format!("0x{digits}") } else { digits };
                if kind == b'X' { prefixed.to_uppercase() } else { prefixed }
            }
            b'p' => format!("{:#x}", next(8)),
            b'c' => {
                let byte = next(4) as u8;
                out.extend(spec.padded(&[byte], false));
                continue;
            }
            b's' => {
                let mut bytes = text(next(8));
                bytes.truncate(spec.precision.unwrap_or(usize::MAX));
                out.extend(spec.padded(&bytes, false));
                continue;
            }
            _ => spec.float(f64::from_bits(next(8)), kind),
        };
        out.extend(spec.padded(body.as_bytes(), spec.zero && !spec.left));
    }
    (out, count)
}

/// The flags, the width and the precision, which stand between the percent sign and the letter.
#[derive(Debug, Default)]
struct FormatSpec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    long: bool,
    width: usize,
    precision: Option<usize>,
}

impl FormatSpec {
    fn sign(&self, negative: bool) -> String {
        let sign = match (negative, self.plus, self.space) {
            (true, _, _) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        };
        sign.to_owned()
    }

    fn digits(&self, digits: String) -> String {
        let least = self.precision.unwrap_or(1);
        format!("{digits:0>least$}")
    }

    fn float(&self, value: f64, kind: u8) -> String {
        let sign = self.sign(value.is_sign_negative() && !value.is_nan());
        let upper = kind.is_ascii_uppercase();
        let magnitude = value.abs();
        let body = if !value.is_finite() {
            if value.is_nan() { "nan".to_owned() } else { "inf".to_owned() }
        } else {
            let precision = self.precision.unwrap_or(6);
            match kind.to_ascii_lowercase() {
                b'f' => format!("{magnitude:.precision$}"),
                b'e' => exponent(&format!("{magnitude:.precision$e}")),
                b'a' => hexadecimal(magnitude),
                _ => general(magnitude, precision.max(1), self.alternate),
            }
        };
        sign + &if upper { body.to_uppercase() } else { body }
    }

    fn padded(&self, body: &[u8], zeros: bool) -> Vec<u8> {
        let missing = self.width.saturating_sub(body.len());
        let mut out = Vec::with_capacity(body.len() + missing);
        let signed = body.first().is_some_and(|b| b"+- ".contains(b));
        let head = usize::from(zeros && signed);
        out.extend(&body[..head]);
        if !self.left {
            out.extend(std::iter::repeat_n(if zeros { b'0' } else { b' ' }, missing));
        }
        out.extend(&body[head..]);
        if self.left {
            out.extend(std::iter::repeat_n(b' ', missing));
        }
        out
    }
}

/// `1.5e3` as C writes it: `1.5e+03`.
fn exponent(text: &str) -> String {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, digits) = exponent.strip_prefix('-').map_or(('+', exponent), |d| ('-', d));
    format!("{mantissa}e{sign}{digits:0>2}")
}

/// `%g`: fixed or scientific notation, whichever is shorter. Zeros at the end are removed unless `keep`.
fn general(value: f64, precision: usize, keep: bool) -> String {
    let scientific = format!("{value:.*e}", precision - 1);
    let power: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| {
        if keep || !text.contains('.') {
            text.to_owned()
        } else {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    if power < -4 || power >= precision as i32 {
        let (mantissa, rest) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        return exponent(&format!("{}e{rest}", trim(mantissa)));
    }
    trim(&format!("{value:.*}", (precision as i32 - 1 - power).max(0) as usize))
}

/// `%a`.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (raw, fraction) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
    let (lead, power) = match raw {
        0 if fraction == 0 => (0, 0),
        0 => (0, -1022),
        _ => (1, raw - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{lead}{point}{digits}p{power:+}")
}

#[cfg(test)]
mod tests {
    use super::format;

    fn with(text: &str, arguments: &[u8]) -> String {
        let value = |at: u64, bytes: usize| {
            let mut all = [0; 8];
            all[..bytes].copy_from_slice(&arguments[at as usize..at as usize + bytes]);
            u64::from_le_bytes(all)
        };
        String::from_utf8(format(text.as_bytes(), value, |_| b"text".to_vec()).0).unwrap()
    }

    #[test]
    fn formats_are_those_of_c() {
        let mut a = Vec::new();
        a.extend((-5i32).to_le_bytes());
        a.extend(255u32.to_le_bytes());
        a.extend(1.5f64.to_le_bytes());
        a.extend(u64::MAX.to_le_bytes());
        assert_eq!(with("%d %x %f %lu%%\n", &a), "-5 ff 1.500000 18446744073709551615%\n");
        assert_eq!(with("[%5d|%-5x|%05.1f]", &a), "[   -5|ff   |001.5]");
        assert_eq!(with("%i %#X %e", &a), "-5 0XFF 1.500000e+00");
        assert_eq!(with("%+d %u %g", &a), "-5 255 1.5");
        assert_eq!(with("%a", &1.5f64.to_le_bytes()), "0x1.8p+0");
        assert_eq!(with("%c%s", &[65, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), "Atext");
        assert_eq!(with("100%", &[]), "100%");
    }
}
