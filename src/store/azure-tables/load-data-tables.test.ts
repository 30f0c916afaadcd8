import { afterEach, describe, expect, it, vi } from 'vitest'
import { MissingPackage } from '../../errors/message-errors.ts'
import { accountOf } from './address.ts'
import { credentialOf, loadDataTables } from './load-data-tables.ts'

const ENDPOINT = 'azure-tables:https://acc.table.core.windows.net'

afterEach(() => {
  vi.doUnmock('@azure/data-tables')
  vi.doUnmock('@azure/identity')
  vi.resetModules()
})

const without = (name: string) =>
  vi.doMock(name, () => {
    throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' })
  })

describe('the SDK', () => {
  it('is asked for by its name where it is not installed', async () => {
    without('@azure/data-tables')
    const error = await loadDataTables().catch((reason) => reason)
    expect(error).toBeInstanceOf(MissingPackage)
    expect(error.next).toContain('npm install @azure/data-tables')
  })

  it('asks as whoever is given, else with the key or the signature of the address', async () => {
    const sdk = await loadDataTables()
    const credential = { signature: 'sig=a' }
    const key = accountOf('azure-tables:AccountName=acc;AccountKey=a2V5')
    expect(await credentialOf(sdk, key, credential)).toBe(credential)
    expect(await credentialOf(sdk, key, undefined)).toMatchObject({ name: 'acc', key: 'a2V5' })
    expect(await credentialOf(sdk, accountOf(`${ENDPOINT}?sv=1&sig=a`), undefined)).toBeNull()
  })

  it('lets @azure/identity find out where there is neither', async () => {
    const sdk = await loadDataTables()
    expect(await credentialOf(sdk, accountOf(ENDPOINT), undefined)).toHaveProperty('getToken')
  })

  it('asks for @azure/identity by its name where it is needed and not installed', async () => {
    const sdk = await loadDataTables()
    without('@azure/identity')
    const error = await credentialOf(sdk, accountOf(ENDPOINT), undefined).catch((reason) => reason)
    expect(error).toBeInstanceOf(MissingPackage)
    expect(error.next).toContain('npm install @azure/identity')
    expect(await credentialOf(sdk, accountOf(ENDPOINT), { signature: 'sig=a' })).not.toBeNull()
  })
})
