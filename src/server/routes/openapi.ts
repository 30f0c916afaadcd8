import { z } from 'zod'
import { openApiDocument } from '../openapi/document.ts'
import { ok, type Route, route } from '../route.ts'

/** Describes the others. Everybody may read it: it says nothing that is not in the documentation. */
export function openApiRoute(routes: readonly Route[]): Route {
  let document: object | null = null
  const self = route({
    method: 'GET',
    path: '/v1/openapi.json',
    operation: 'getOpenApi',
    summary: 'This document',
    needs: 'nothing',
    answers: { 200: { about: 'OpenAPI 3.1', schema: z.looseObject({ openapi: z.string() }) } },
    handle() {
      document ??= openApiDocument([...routes, self])
      return ok(document)
    },
  })
  return self
}
