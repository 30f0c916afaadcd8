// What can be asked over HTTP, for programs that are generated from it: the same as a server says at /v1/openapi.json.
import { openApiDocument } from '../../src/server/openapi/document.ts'
import { ROUTES } from '../../src/server/routes/all.ts'
import { formattedJson } from './formatted-json.ts'

export function openApiFile(): string {
  return formattedJson(openApiDocument(ROUTES))
}
