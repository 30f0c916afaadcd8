// `waybill/server`: a ledger over HTTP.
import '../node-version.ts'

export type { Role } from '../core/token/record.ts'
export { type HttpServer, type ServeOptions, serve } from './serve.ts'
