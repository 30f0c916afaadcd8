import { expect, it } from 'vitest'
import { ROLES } from '../../../../src/core/token/record.ts'
import { ROLES as OF_THE_PAGE } from '../../api/tokens.ts'
import { rolesUpTo, tenantsIn } from './tenants-text.ts'

it('tenants are named with commas or spaces, each once; none named means all', () => {
  expect(tenantsIn('aurora, borealis  aurora')).toEqual(['aurora', 'borealis'])
  expect(tenantsIn(' ')).toEqual(['*'])
  expect(tenantsIn('aurora,*')).toEqual(['*'])
})

it('nobody gives more than they have', () => {
  expect(rolesUpTo(ROLES, 'operator')).toEqual(['viewer', 'worker', 'operator'])
  expect(rolesUpTo(ROLES, 'viewer')).toEqual(['viewer'])
  expect(rolesUpTo(ROLES, 'nobody')).toEqual([])
})

it('the page knows the roles in their order', () => {
  expect(OF_THE_PAGE).toEqual(ROLES)
})
