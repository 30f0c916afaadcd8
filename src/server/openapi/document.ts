// The OpenAPI document, made from the same routes and schemas that requests are served by.
import type { JsonObject } from '../../core/json.ts'
import type { Route } from '../route.ts'
import { Components } from './components.ts'
import { commonResponses, operationOf, tagOf } from './operation.ts'
import { problemSchema } from './problem-schema.ts'

/** Of what is offered over HTTP, not of the package. */
const API_VERSION = '1.0'

const TAG_ABOUT: { readonly [tag: string]: string } = {
  commands: 'Submitting jobs',
  callbacks: 'How services and workers report',
  work: 'How workers in any language get work',
  jobs: 'Looking at jobs and steering them',
  documents: 'Documents and their states',
  stuck: 'Documents that do not get on',
  runs: 'Jobs that belong together',
  workstreams: 'Parts of runs',
  board: 'Workstreams by how they are',
  search: 'Finding records by a part of their names',
  queues: 'What waits and runs, pausing and limiting it',
  schedules: 'Jobs that are submitted again and again',
  stages: 'The state manager, for schedulers that run the stages themselves',
  audit: 'The history: who did what, when and why',
  events: 'The history as it happens',
  stats: 'How many records are in each state',
  overview: 'What waits, who works, what ended last',
  activity: 'How much happens, over time',
  radar: 'Where open jobs stand, stage by stage',
  tenants: 'Whose records there are',
  files: 'Files that tool jobs have touched',
  machines: 'The states there are',
  protocols: 'How requests are answered',
  session: 'How browsers get in and out',
  links: 'One-time links that open the page',
  admin: 'Tokens, and the ledger as a whole',
  openapi: 'This document',
  server: 'Whether the server is well',
}

export function openApiDocument(routes: readonly Route[]): JsonObject {
  const components = new Components()
  components.add(problemSchema, 'output')
  const paths: { [path: string]: { [method: string]: unknown } } = {}
  for (const route of routes) {
    paths[route.path] ??= {}
    ;(paths[route.path] as { [method: string]: unknown })[route.method.toLowerCase()] = operationOf(
      route,
      components,
    )
  }
  return plain({
    openapi: '3.1.0',
    info: {
      title: 'Waybill',
      version: API_VERSION,
      summary: 'A durable ledger and orchestrator for jobs and documents',
      description:
        'Every change is durable when it is answered, and in the history with who asked for it and why. Records have the ' +
        'same fields as in the library. Errors are problems (RFC 9457) with a stable `code` and the next step.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }, { session: [] }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name, description: TAG_ABOUT[name] })),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: '`waybill tokens create` makes one' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'waybill_session',
          description: 'Of a browser, by a one-time link',
        },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description:
            'Of a service, as Standard Webhooks are signed, with `webhook-id` and `webhook-timestamp`',
        },
      },
      responses: commonResponses(),
      schemas: components,
    },
  })
}

/** Without what is undefined. */
function plain(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
