//! Conversions between formats: `cvt`, `cvt.pack`, narrow floating-point formats.
