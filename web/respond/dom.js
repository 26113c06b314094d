/** Small helpers for making elements. */

const SVG = "http://www.w3.org/2000/svg";

/** @typedef {string | number | boolean | null | undefined} Attribute */

/**
 * @param {Element} element
 * @param {Record<string, Attribute>} attributes
 * @param {(Node | string)[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children);
}

/**
 * An HTML element. Texts stay texts: nothing that a policy says can become markup.
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, Attribute>} [attributes]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, Attribute>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[Name]}
 */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  fill(element, attributes, children);
  return element;
}

/**
 * A number as people read it.
 * @param {number} value
 * @param {number} width the width of the domain, which decides how many digits matter
 */
export function shownNumber(value, width) {
  const digits = Math.min(12, Math.max(0, Math.ceil(3 - Math.log10(width))));
  return String(Number(value.toFixed(digits)));
}

/** @param {number} probability */
export function percent(probability) {
  const value = 100 * probability;
  return `${value >= 9.995 ? value.toFixed(1) : value.toPrecision(2)} %`;
}
