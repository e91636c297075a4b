// What the chat page does beyond Gradio. Nothing here reads what a record or a paste says.
"use strict";

const still = matchMedia("(prefers-reduced-motion: reduce)");
let seen = 0;

// Ctrl+Enter explains as well (Gradio knows Shift+Enter only).
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && event.target.closest("#es-box")) {
    event.preventDefault();
    // The text box hands its last keystrokes on after this event.
    setTimeout(() => document.querySelector("#es-explain")?.click());
  }
});

// Gradio names each message by its HTML source, which screen readers would read out.
function nameMessages(chat) {
  for (const [kind, name] of [["user", "Your paste"], ["bot", "Answer"]]) {
    for (const message of chat.querySelectorAll(`[data-testid="${kind}"]`)) {
      if (message.getAttribute("aria-label") !== name) {
        message.setAttribute("aria-label", name);
        message.setAttribute("role", "group");
      }
    }
  }
}

// A new answer is read from its top.
function showNewest(chat) {
  const answers = chat.querySelectorAll(".es-answer");
  if (answers.length > seen) {
    answers[answers.length - 1].scrollIntoView({
      behavior: still.matches ? "auto" : "smooth",
      block: "start",
    });
  }
  seen = answers.length;
}

new MutationObserver(() => {
  const chat = document.querySelector("#es-chat");
  if (chat) {
    nameMessages(chat);
    showNewest(chat);
  } else {
    seen = 0;
  }
}).observe(document.documentElement, { childList: true, subtree: true });
