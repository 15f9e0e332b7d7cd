// The extension that contains the suite does nothing itself.
exports.activate = () => {};
