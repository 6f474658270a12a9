#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| outflank_fuzz::dialects::run(data));
