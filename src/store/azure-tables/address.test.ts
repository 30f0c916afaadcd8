import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../../errors/input-errors.ts'
import { accountOf, checkedPrefix, shownAddress } from './address.ts'

const KEY = 'c2VjcmV0c2VjcmV0c2VjcmV0+/8=='
const ACCOUNT = `DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=${KEY};EndpointSuffix=core.windows.net`
const ENDPOINT = 'https://acc.table.core.windows.net'

const nothing = { key: null, signature: null, tablePrefix: undefined }

function refusal(url: string): InvalidInput {
  try {
    accountOf(url)
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput)
    return error as InvalidInput
  }
  throw new Error(`${url} was taken`)
}

describe('the address of Azure tables', () => {
  it('is a URL, with a prefix and a signature if it has them', () => {
    expect(accountOf(`azure-tables:${ENDPOINT}`)).toEqual({ ...nothing, endpoint: ENDPOINT })
    expect(accountOf(`Azure-Tables:${ENDPOINT}/?prefix=Mine2`)).toEqual({
      ...nothing,
      endpoint: ENDPOINT,
      tablePrefix: 'Mine2',
    })
    expect(accountOf(`azure-tables:${ENDPOINT}?sv=2019&prefix=A&sp=r%20w+x&sig=a%2Fb%3D`)).toEqual({
      ...nothing,
      endpoint: ENDPOINT,
      signature: 'sv=2019&sp=r%20w+x&sig=a%2Fb%3D',
      tablePrefix: 'A',
    })
    expect(accountOf('azure-tables:http://127.0.0.1:10002/devstoreaccount1/')).toEqual({
      ...nothing,
      endpoint: 'http://127.0.0.1:10002/devstoreaccount1',
    })
  })

  it('is a connection string, as the portal shows it', () => {
    const key = { name: 'acc', key: KEY }
    expect(accountOf(`azure-tables:${ACCOUNT}`)).toEqual({ ...nothing, endpoint: ENDPOINT, key })
    expect(accountOf(`azure-tables:AccountName=acc; accountkey=${KEY} ;`)).toMatchObject({
      endpoint: ENDPOINT,
      key,
    })
    expect(accountOf(`azure-tables:${ACCOUNT};TablePrefix=Mine`)).toMatchObject({ key, tablePrefix: 'Mine' })
    expect(accountOf(`azure-tables:${ACCOUNT};TableEndpoint=http://[::1]:7/acc/`)).toMatchObject({
      endpoint: 'http://[::1]:7/acc',
      key,
    })
    expect(accountOf(`azure-tables:TableEndpoint=${ENDPOINT}/;SharedAccessSignature=?sv=1&sig=a%3D`)).toEqual(
      { ...nothing, endpoint: ENDPOINT, signature: 'sv=1&sig=a%3D' },
    )
    expect(accountOf('azure-tables:AccountName=acc;EndpointSuffix=core.chinacloudapi.cn')).toEqual({
      ...nothing,
      endpoint: 'https://acc.table.core.chinacloudapi.cn',
    })
  })

  it('may be the one of the emulator', () => {
    expect(accountOf('azure-tables:UseDevelopmentStorage=true;TablePrefix=Mine')).toMatchObject({
      endpoint: 'http://127.0.0.1:10002/devstoreaccount1',
      key: { name: 'devstoreaccount1' },
      tablePrefix: 'Mine',
    })
  })

  it('is refused where a key would go through the net in the clear', () => {
    for (const url of [
      'azure-tables:http://acc.table.core.windows.net',
      'azure-tables:http://127.0.0.1.example.com/acc',
      'azure-tables:ftp://127.0.0.1/acc',
      `azure-tables:DefaultEndpointsProtocol=http;AccountName=acc;AccountKey=${KEY}`,
      `azure-tables:AccountName=acc;AccountKey=${KEY};TableEndpoint=http://10.0.0.1/acc`,
    ])
      expect(refusal(url).message).toContain('in the clear')
  })

  it('is refused with the reason, and without the key', () => {
    for (const url of [
      'postgres://host/db',
      'azure-tables:',
      'azure-tables:;;',
      'azure-tables:https://',
      `azure-tables:https://acc:${KEY}@host`,
      `azure-tables:${ENDPOINT}#${KEY}`,
      `azure-tables:${KEY.replaceAll('=', '')}`,
      `azure-tables:AccountKey=${KEY}`,
      `azure-tables:AccountKey=${KEY};TableEndpoint=${ENDPOINT}`,
      `azure-tables:TableEndpoint=${KEY}`,
      `azure-tables:${ENDPOINT}?shards=4`,
    ]) {
      const error = refusal(url)
      expect(error.next).toContain('azure-tables:')
      expect(JSON.stringify(error)).not.toContain('c2VjcmV0')
    }
  })

  it('has a prefix that names of tables can begin with', () => {
    expect(checkedPrefix('A1')).toBe('A1')
    for (const prefix of ['', '1a', 'a-b', 'ä', 'a'.repeat(21)]) {
      expect(() => checkedPrefix(prefix)).toThrow(InvalidInput)
      expect(() => accountOf(`azure-tables:${ENDPOINT}?prefix=${prefix}`)).toThrow(InvalidInput)
    }
  })

  it('is shown without a key or a signature, and can be given like that', () => {
    for (const [url, shown] of [
      [`azure-tables:${ACCOUNT}`, `azure-tables:${ENDPOINT}`],
      [`azure-tables:${ACCOUNT};TablePrefix=Mine`, `azure-tables:${ENDPOINT}?prefix=Mine`],
      [`azure-tables:${ENDPOINT}?sv=1&sig=secret&prefix=Mine`, `azure-tables:${ENDPOINT}?prefix=Mine`],
    ] as const) {
      expect(shownAddress(url)).toBe(shown)
      expect(shownAddress(shown)).toBe(shown)
    }
  })
})
