// Helpers that create elements. Texts become text nodes.
// @ts-check

/** @param {string} tag @param {string} className @param {...(string | Node)} content */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  if (className !== "") made.className = className;
  made.append(...content);
  return made;
}

/** @param {() => void} action @param {...(string | Node)} content */
export function actionButton(action, ...content) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...content);
  button.addEventListener("click", action);
  return button;
}

/** @template {HTMLElement} T @param {string} id @returns {T} */
export const byId = (id) => /** @type {T} */ (document.getElementById(id));
