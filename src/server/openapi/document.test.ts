import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import document from '../../../schemas/openapi.json' with { type: 'json' }
import type { Json, JsonObject } from '../../core/json.ts'
import { ROUTES } from '../routes/all.ts'
import { openApiDocument } from './document.ts'

interface Operation {
  readonly operationId: string
  readonly description?: string
  readonly parameters: readonly Parameter[]
  readonly responses: { readonly [status: string]: JsonObject }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly style?: string
  readonly explode?: boolean
  readonly schema: JsonObject
}

const made = openApiDocument(ROUTES) as unknown as {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } }
  readonly tags: readonly { readonly name: string; readonly description?: string }[]
  readonly components: { readonly schemas: JsonObject }
}
const operations = Object.values(made.paths).flatMap((path) => Object.values(path))

describe('the document', () => {
  it('is OpenAPI 3.1', async () => {
    const result = await new Validator().validate(structuredClone(made))
    expect(result).toEqual({ valid: true })
  })

  it('is the one that the package has', () => {
    expect(document).toEqual(made)
  })

  it('has every route once, each by a name of its own', () => {
    const names = operations.map(({ operationId }) => operationId)
    expect(names).toHaveLength(ROUTES.length)
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(names)).toEqual(new Set(ROUTES.map(({ operation }) => operation)))
  })

  it('refers only to what it has, and has nothing that nobody refers to', () => {
    const text = JSON.stringify(made)
    const meant = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name))
    expect(meant).toEqual(new Set(Object.keys(made.components.schemas)))
    expect(text).not.toContain('$defs')
    expect(text).not.toContain('__schema')
  })

  it('says what every answer is that is not a problem', () => {
    const unsaid = ROUTES.flatMap(({ operation, answers }) =>
      Object.entries(answers)
        .filter(([status, { schema }]) => Number(status) < 400 && schema === undefined)
        .map(([status]) => `${operation} ${status}`),
    )
    expect(unsaid).toEqual([])
  })

  it('describes every part of a path, and every group of routes', () => {
    const parts = operations.flatMap(({ parameters }) => parameters.filter((one) => one.in === 'path'))
    expect(parts.filter(({ description }) => description === undefined)).toEqual([])
    expect(made.tags.filter(({ description }) => description === undefined)).toEqual([])
  })

  it('has lists and numbers in queries as what they are, not as the text that they come as', () => {
    const listJobs = operations.find(({ operationId }) => operationId === 'listJobs')
    const named = (name: string) => listJobs?.parameters.find((one) => one.name === name)
    expect(named('state')).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { type: 'string', enum: expect.arrayContaining(['QUEUED']) } },
    })
    expect(named('limit')?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 1000 })
    expect(named('changed_from')?.schema).toEqual({ type: 'string', format: 'date-time' })
  })

  it('leaves room for fields to come in answers, and none in what is sent', () => {
    const { Job, Envelope } = made.components.schemas as { readonly [name: string]: JsonObject }
    expect(Job).not.toHaveProperty('additionalProperties')
    expect(Envelope).toMatchObject({ additionalProperties: false })
  })
})

it('examples of bodies are what the server takes', () => {
  const examples = ROUTES.flatMap(({ operation, body }) =>
    body === undefined
      ? []
      : ((z.globalRegistry.get(body)?.examples ?? []) as Json[]).map((example) => ({
          operation,
          body,
          example,
        })),
  )
  expect(new Set(examples.map(({ operation }) => operation))).toEqual(
    new Set(['submitJob', 'reportAck', 'reportHeartbeat', 'reportResult', 'claimWork']),
  )
  for (const { operation, body, example } of examples) {
    expect(body.safeParse(example).error?.issues, `${operation} ${JSON.stringify(example)}`).toBeUndefined()
  }
})
