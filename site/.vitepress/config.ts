// The site that is made of docs/. Nothing in it comes from another server, and what it says is in the Markdown alone.
import { join } from 'node:path'
import { defineConfig } from 'vitepress'
import { ROOT } from '../../scripts/command.ts'
import { sidebar } from '../../scripts/docs/sidebar.ts'
import { siteColours } from '../../scripts/docs/site-colours.ts'
import { siteDiagrams } from '../../scripts/docs/site-diagrams.ts'
import { writeSiteFiles } from '../../scripts/docs/site-files.ts'
import { copyLinkedFiles, pageName, siteLinks } from '../../scripts/docs/site-links.ts'

/** Below which path it is served: its links are made for that. */
const base = process.env.WAYBILL_DOCS_BASE ?? '/docs/'

export default defineConfig({
  title: 'Waybill',
  description: 'A durable ledger and orchestrator for jobs and documents',
  lang: 'en-GB',
  base,
  srcDir: ROOT,
  srcExclude: ['!(docs|examples)/**/*.md', 'README.md', 'llms*.txt'],
  rewrites: (path) => pageName(path) ?? path,
  outDir: process.env.WAYBILL_DOCS_OUT ?? join(ROOT, 'dist/site'),
  cacheDir: join(ROOT, 'node_modules/.cache/vitepress'),
  cleanUrls: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${base}icon.svg` }]],
  vite: { publicDir: join(ROOT, 'ui/public'), build: { chunkSizeWarningLimit: 4000 } },
  markdown: {
    anchor: { slugify: anchorOf },
    // `{job_id}` in a heading is a part of an address.
    attrs: false,
    codeTransformers: [siteColours],
    config: (md) => {
      md.use(siteLinks)
      md.use(siteDiagrams)
    },
  },
  transformPageData(page) {
    if (page.relativePath === 'index.md') page.frontmatter = HOME
  },
  buildEnd({ outDir }) {
    copyLinkedFiles(outDir)
    writeSiteFiles(outDir)
  },
  themeConfig: {
    logo: '/icon.svg',
    sidebar: sidebar(),
    outline: [2, 3],
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
})

const HOME = {
  layout: 'home',
  hero: {
    name: 'Waybill',
    text: 'A ledger for jobs and documents',
    tagline:
      'Where each one is, how it got there, who moved it, why it failed and what happens next. Inside your process, with nothing else to install.',
    actions: [
      { theme: 'brand', text: 'Start in five minutes', link: '/five-minute-start' },
      { theme: 'alt', text: 'What is guaranteed', link: '/guarantees' },
    ],
  },
}

/** As code hosts make an anchor of a heading, so that links lead to the same place here and there. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s/g, '-')
}
