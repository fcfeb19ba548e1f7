// As much of a document as parts need that only build elements: what is put into them stays in `children`.

class Element {
  constructor(tag) {
    this.tagName = tag;
    this.children = [];
    this.attributes = new Map();
    this.hidden = false;
    this.textContent = "";
    this.dataset = {};
  }

  setAttribute(name, value) {
    this.attributes.set(name, value);
  }

  addEventListener() {}

  append(child) {
    this.children.push(child);
  }

  replaceChildren() {
    this.children = [];
  }
}

class Text {
  data = "";

  get length() {
    return this.data.length;
  }

  appendData(text) {
    this.data += text;
  }
}

Object.assign(globalThis, {
  document: { createElement: (tag) => new Element(tag), createTextNode: () => new Text(), documentElement: {} },
  localStorage: { getItem: () => "en", setItem() {} },
});
