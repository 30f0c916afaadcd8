import { expect, it } from 'vitest'
import { z } from 'zod'
import { Components } from './components.ts'

it('a schema with a name stands in the document once, wherever it is used', () => {
  const components = new Components()
  const point = z.strictObject({ x: z.number() }).meta({ id: 'TestPoint' })
  expect(components.add(z.array(point), 'output')).toEqual({
    type: 'array',
    items: { $ref: '#/components/schemas/TestPoint' },
  })
  expect(components.add(point, 'output')).toEqual({ $ref: '#/components/schemas/TestPoint' })
  expect(components.toJSON().TestPoint).toEqual({
    type: 'object',
    properties: { x: { type: 'number' } },
    required: ['x'],
  })
})

it('two schemas of one name are a mistake', () => {
  const components = new Components()
  components.add(z.strictObject({ x: z.number() }).meta({ id: 'TestTwice' }), 'output')
  const other = z.strictObject({ y: z.number() }).meta({ id: 'TestTwice' })
  expect(() => components.add(other, 'output')).toThrow('Two schemas of the document are named TestTwice')
})

it('any JSON has the same name everywhere, and another schema that refers to itself needs one', () => {
  const components = new Components()
  expect(components.add(z.strictObject({ a: z.json(), b: z.json() }), 'output')).toMatchObject({
    properties: { a: { $ref: '#/components/schemas/Json' }, b: { $ref: '#/components/schemas/Json' } },
  })
  const tree = z.strictObject({
    get branches() {
      return z.array(tree)
    },
  })
  expect(() => components.add(z.strictObject({ tree }), 'output')).toThrow('needs a name')
})
