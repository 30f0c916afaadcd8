/** What a service says about an attempt; each has an address that ends with its name. */
export const CALLBACKS = ['ack', 'heartbeat', 'result'] as const

export type CallbackName = (typeof CALLBACKS)[number]

export type CallbackUrls = { readonly [name in CallbackName]: string }

export function callbackUrlsAt(base: string | URL): CallbackUrls {
  const address = String(base).replace(/\/+$/, '')
  return { ack: `${address}/ack`, heartbeat: `${address}/heartbeat`, result: `${address}/result` }
}
