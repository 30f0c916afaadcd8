// State diagrams, drawn when the site is built: readers load a picture, and not a program that draws it.
import { renderMermaidSVG } from 'beautiful-mermaid'
import type { MarkdownRenderer } from 'vitepress'

export function siteDiagrams(md: MarkdownRenderer): void {
  const { fence } = md.renderer.rules
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (token?.info.trim() === 'mermaid') return `<div class="diagram" v-pre>${drawn(token.content)}</div>`
    return fence?.(tokens, index, options, env, self) ?? ''
  }
}

/** Without its own style: that would ask another server for a font. What it needs of it is in the style of the site. */
function drawn(diagram: string): string {
  return renderMermaidSVG(diagram, { transparent: true, padding: 8 })
    .replace(/<style>[\s\S]*?<\/style>\n?/, '')
    .replace(/ style="[^"]*"/, '')
    .replace('<svg ', '<svg role="img" aria-label="The states and the ways between them, as listed below" ')
}
