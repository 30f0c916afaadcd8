// The colours of code, as classes: a style for each word would be a tenth of the site. Those that are not listed stay as they
// are; the classes are in the style of the site.
import type { MarkdownOptions } from 'vitepress'

/** The first is the class `c0`, and so on. */
const COLOURS: readonly string[] = [
  '--shiki-light:#24292E;--shiki-dark:#E1E4E8;',
  '--shiki-light:#c62739;--shiki-dark:#F97583;',
  '--shiki-light:#032F62;--shiki-dark:#9ECBFF;',
  '--shiki-light:#005CC5;--shiki-dark:#79B8FF;',
  '--shiki-light:#6F42C1;--shiki-dark:#B392F0;',
  '--shiki-light:#24292e;--shiki-dark:#e1e4e8;--shiki-light-bg:#fff;--shiki-dark-bg:#24292e;',
  '--shiki-light:#c13617;--shiki-dark:#FFAB70;',
  '--shiki-light:#62687b;--shiki-dark:#818e99;',
  '--shiki-light:#032F62;--shiki-dark:#DBEDFF;',
  '--shiki-light:#24292E;--shiki-dark:#9ECBFF;',
  '--shiki-light:#24292E;--shiki-dark:#B392F0;',
  '--shiki-light:#24292E;--shiki-dark:#79B8FF;',
  '--shiki-light:#11782a;--shiki-light-font-weight:bold;--shiki-dark:#85E89D;--shiki-dark-font-weight:bold;',
]

export const siteColours: NonNullable<MarkdownOptions['codeTransformers']>[number] = {
  name: 'site-colours',
  span(node) {
    const { style } = node.properties
    const index = typeof style === 'string' ? COLOURS.indexOf(`${style.replace(/;$/, '')};`) : -1
    if (index === -1) return
    delete node.properties.style
    this.addClassToHast(node, `c${index}`)
  },
}
