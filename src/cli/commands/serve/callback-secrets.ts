import { InvalidInput } from '../../../errors/input-errors.ts'
import { inputText } from '../../input/input-lines.ts'

const VARIABLE = 'WAYBILL_CALLBACK_SECRET'

/**
 * What services sign callbacks with: from a file, one a line while they are exchanged, or from the environment. Not from the
 * command line, which everybody on the machine can see. Undefined when there is none.
 */
export async function callbackSecrets(file: string | undefined): Promise<readonly string[] | undefined> {
  if (file === undefined) {
    const secret = process.env[VARIABLE]
    return secret === undefined || secret === '' ? undefined : [secret]
  }
  const lines = (await inputText(file)).split('\n').map((line) => line.trim())
  const secrets = lines.filter((line) => line !== '')
  if (secrets.length > 0) return secrets
  const next = `Make one with: echo whsec_$(openssl rand -base64 32) > ${file}`
  throw new InvalidInput('callback-secret-file', `${file} is empty`, next)
}
