import { expect, it } from 'vitest'
import { CALLBACKS, callbackUrlsAt } from './callback-urls.ts'

it('each callback has an address that ends with its name, however the base ends', () => {
  for (const base of [
    'http://ledger.example/cb',
    'http://ledger.example/cb//',
    new URL('http://ledger.example/cb/'),
  ]) {
    const urls = callbackUrlsAt(base)
    expect(CALLBACKS.map((name) => urls[name])).toEqual(
      CALLBACKS.map((name) => `http://ledger.example/cb/${name}`),
    )
  }
})
