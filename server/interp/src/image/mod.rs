//! Textures, surfaces and tensor maps.
