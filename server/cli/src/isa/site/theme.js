// Before anything is drawn: the colours that were chosen on an earlier page.
"use strict";
try {
  const theme = localStorage.getItem("ptx-theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's colours stay.
}
