// Elements of the page, made with their class and text; text is never read as HTML.
(function (X) {
  "use strict";

  function element(name, classes = "", text = "") {
    const node = document.createElement(name);
    if (classes) node.className = classes;
    node.textContent = text;
    return node;
  }

  /** An element at the end of another. */
  function make(host, name, classes, text) {
    const node = element(name, classes, text);
    host.append(node);
    return node;
  }

  X.elements = { element, make };
})((window.X = window.X || {}));
