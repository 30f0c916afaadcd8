// The page of all routes, made from the same data that requests are served by and that the OpenAPI document is made of.
import { openApiDocument } from '../../src/server/openapi/document.ts'
import { tagOf } from '../../src/server/openapi/operation.ts'
import { ROUTES } from '../../src/server/routes/all.ts'
import { fieldsOf, type Operation, routeSection } from './http-reference/route-section.ts'
import { type Schema, wordsFor } from './http-reference/schema-words.ts'
import { markdownTable } from './markdown-table.ts'

interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly components: {
    readonly schemas: { readonly [name: string]: Schema }
    readonly responses: { readonly [name: string]: { readonly description: string } }
  }
}

export function httpReferenceRegion(): string {
  const document = openApiDocument(ROUTES) as unknown as OpenApi
  const groups = document.tags.map(({ name, description }) => {
    const routes = ROUTES.filter((route) => tagOf(route) === name)
    const sections = routes.map((route) => routeSection(route, operationIn(document, route)))
    return [`## ${headingOf(name)}`, `${description}.`, ...sections].join('\n\n')
  })
  return [
    overview(document),
    ...groups,
    '## Shapes',
    ...Object.entries(document.components.schemas).map(shape),
  ].join('\n\n')
}

function operationIn({ paths }: OpenApi, { path, method }: { path: string; method: string }): Operation {
  const operation = paths[path]?.[method.toLowerCase()]
  if (operation === undefined) throw new Error(`The document has no ${method} ${path}`)
  return operation
}

function overview({ tags }: OpenApi): string {
  const rows = tags.map(({ name, description }) => {
    const routes = ROUTES.filter((route) => tagOf(route) === name)
    return [`[${headingOf(name)}](#${anchorOf(headingOf(name))})`, description, String(routes.length)]
  })
  return markdownTable(['Group', 'What it is for', 'Routes'], rows)
}

/** Not the name alone: shapes have the same ones. */
function headingOf(tag: string): string {
  return tag === 'server' ? 'Beside the ledger' : `/v1/${tag}`
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .replace(/\s/g, '-')
}

function shape([name, schema]: [string, Schema]): string {
  const about = schema.description === undefined ? '' : `${schema.description.replace(/\.$/, '')}.\n\n`
  const body = schema.properties === undefined ? sentence(wordsFor(schema)) : fieldsOf(schema, 'Always')
  return `### ${name}\n\n${about}${body}`
}

function sentence(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.`
}
