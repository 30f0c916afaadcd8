// The JSON Schema of tool jobs, for editors and for programs that write job files. It is made from the schema that checks
// them; what JSON Schema cannot say, such as bytes of a text, is checked all the same.
import { z } from 'zod'
import { toolJobSchema } from '../../src/orchestrator/tools/tool-job-schema.ts'
import { formattedJson } from './formatted-json.ts'

export function toolJobSchemaFile(): string {
  return formattedJson(z.toJSONSchema(toolJobSchema))
}
