// Applies the theme chosen on an earlier page before anything is drawn.
"use strict";
try {
  const theme = localStorage.getItem("ptx-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's colours apply.
}
