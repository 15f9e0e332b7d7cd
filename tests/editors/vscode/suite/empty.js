// The extension that carries the suite does nothing itself.
exports.activate = () => {};
