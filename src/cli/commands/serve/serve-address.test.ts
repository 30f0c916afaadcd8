import { describe, expect, it } from 'vitest'
import { callbackUrl } from './serve-address.ts'

describe('where services are told to report', () => {
  it.each([
    [{ port: 7420, host: '127.0.0.1' }, 'http://127.0.0.1:7420/v1/callbacks'],
    [{ port: 7420, host: '::1' }, 'http://[::1]:7420/v1/callbacks'],
    [
      { port: 0, host: '0.0.0.0', publicUrl: 'https://waybill.example' },
      'https://waybill.example/v1/callbacks',
    ],
  ])('is at %j', (address, url) => {
    expect(callbackUrl(address)).toBe(url)
  })

  it.each([
    ['a port that is another one tomorrow', { port: 0, host: '127.0.0.1' }],
    ['all addresses of a machine', { port: 7420, host: '0.0.0.0' }],
    ['all addresses of a machine, of both kinds', { port: 7420, host: '::' }],
  ])('is nowhere for %s', (_, address) => {
    expect(callbackUrl(address)).toBeUndefined()
  })
})
