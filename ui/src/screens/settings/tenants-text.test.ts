import { expect, it } from 'vitest'
import { tenantsIn } from './tenants-text.ts'

it('tenants are named with commas or spaces, each once; none named means all', () => {
  expect(tenantsIn('aurora, borealis  aurora')).toEqual(['aurora', 'borealis'])
  expect(tenantsIn(' ')).toEqual(['*'])
  expect(tenantsIn('aurora,*')).toEqual(['*'])
})
