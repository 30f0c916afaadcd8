import { type Redact, redactJson, redactText } from '../../ledger/redact.ts'

/** The command without secrets: also of those that follow an option of that name, as in `--password word`. */
export function redactArgv(argv: readonly string[], redact: Redact = redactText): string[] {
  return argv.map((arg, index) => {
    const option = /^--?(.+)$/.exec(argv[index - 1] ?? '')?.[1]
    if (option === undefined) return redact(arg)
    const { [option]: value } = redactJson({ [option]: arg }, redact) as { readonly [name: string]: string }
    return value ?? redact(arg)
  })
}
