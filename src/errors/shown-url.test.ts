import { describe, expect, it } from 'vitest'
import { shownUrl, withoutPasswords } from './shown-url.ts'

const KEY = 'Zm9vYmFyZm9vYmFyZm9vYmFy+/8=='
const ACCOUNT = `DefaultEndpointsProtocol=https;AccountName=acc;AccountKey=${KEY};EndpointSuffix=core.windows.net`
const SIGNED = 'https://acc.table.core.windows.net?prefix=Mine&sv=2019-02-02&sig=s%2Fecret%3D&se=2030'

describe('a URL as it is shown', () => {
  it('has no password, wherever it stands', () => {
    expect(shownUrl('postgres://me:secret@host/db?password=secret&schema=a')).toBe(
      'postgres://me@host/db?schema=a',
    )
    expect(shownUrl('postgres://me:sec/ret@host/db')).toBe('postgres://…')
    expect(shownUrl('./folder')).toBe('./folder')
  })

  it('has no key of an account and no signature', () => {
    expect(shownUrl(`azure-tables:${ACCOUNT}`)).toBe(
      'azure-tables:DefaultEndpointsProtocol=https;AccountName=acc;EndpointSuffix=core.windows.net',
    )
    expect(shownUrl(`azure-tables:${SIGNED}`)).toBe(
      'azure-tables:https://acc.table.core.windows.net/?prefix=Mine&sv=2019-02-02&se=2030',
    )
    expect(shownUrl('Azure-Tables:TableEndpoint=https://a;sharedaccesssignature=sv=1&sig=secret')).toBe(
      'Azure-Tables:TableEndpoint=https://a',
    )
    expect(shownUrl('azure-tables:https://acc.table.core.windows.net')).toBe(
      'azure-tables:https://acc.table.core.windows.net',
    )
  })

  it('has none either when something is wrong with it', () => {
    expect(shownUrl(`azure-tables:AccountName=acc;AccountKey=Zm9v;YmFy==;${KEY}`)).not.toMatch(/Zm9v|foo/)
    expect(shownUrl('azure-tables:https://acc@x/y?sig=secret#sig=secret')).toBe('azure-tables:https://…')
    expect(shownUrl(ACCOUNT)).not.toContain(KEY)
  })
})

describe('a text that may quote one', () => {
  it('keeps everything but passwords, keys and signatures', () => {
    const text = `No engine opens "${ACCOUNT}", 'azure-tables:${SIGNED}' or postgres://me:secret@host/db`
    const shown = withoutPasswords(text)
    expect(shown).not.toMatch(/Zm9v|ecret/)
    for (const kept of ['AccountName=acc;AccountKey=…;EndpointSuffix', '&sig=…&se=2030', 'me@host'])
      expect(shown).toContain(kept)
    expect(withoutPasswords('signed with sig=secret')).toBe('signed with sig=…')
    expect(withoutPasswords('SharedAccessSignature=sv=1&sig=secret;TableEndpoint=https://a')).toBe(
      'SharedAccessSignature=…;TableEndpoint=https://a',
    )
  })

  it('is still JSON if it was', () => {
    const details = {
      said: `"AccountKey=${KEY}"`,
      url: '"https://a?sig=secret"',
      deep: { AccountKey: 'kept' },
    }
    const shown = JSON.parse(withoutPasswords(JSON.stringify(details)))
    expect(shown).toEqual({
      said: '"AccountKey=…"',
      url: '"https://a?sig=…"',
      deep: { AccountKey: 'kept' },
    })
  })
})
