// Hides what does not hold every word of the search.
const search = document.getElementById("search");
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  for (const section of document.querySelectorAll("section")) {
    let any = false;
    for (const item of section.querySelectorAll(".item")) {
      const text = item.textContent.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
      item.style.display = item.hidden ? "none" : "";
      any ||= !item.hidden;
    }
    section.hidden = !any;
  }
});
