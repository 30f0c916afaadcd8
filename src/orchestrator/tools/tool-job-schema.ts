import { z } from 'zod'
import { LONGEST_ID } from '../../core/names.ts'
import { idSchema } from '../../ledger/envelope.ts'
import { ALLOWED_ENV_PATTERN, ENV_NAME, isRefusedEnv } from './refused-env.ts'

/** One argument or value; the system takes 128 KiB each. */
const LONGEST_TEXT_BYTES = 100_000
const LONGEST_PATH = 4096
const LONGEST_ENV_NAME = 256
const MOST_ARGS = 1000
const MOST_ENV = 1000
const MOST_FILES = 10_000
const LONGEST_TIMEOUT_SECONDS = 24 * 60 * 60
const MOST_RETRIES = 100

const TOOL_NAME = '[A-Za-z0-9][A-Za-z0-9_.-]{0,99}'

const id = idSchema.meta({
  minLength: 1,
  maxLength: LONGEST_ID,
  pattern: '^[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
})

const toolName = z
  .string()
  .regex(new RegExp(`^${TOOL_NAME}$`), 'must be a name of letters, digits, ".", "_" and "-", 100 at most')

/** What goes to a program as it is: whatever could not arrive so is refused. */
const text = z.string().superRefine((value, context) => {
  const message = textProblem(value)
  if (message !== null) context.addIssue({ code: 'custom', message })
})
const passedText = text.meta({ maxLength: LONGEST_TEXT_BYTES, pattern: '^[^\\u0000]*$' })

function textProblem(value: string): string | null {
  if (value.includes('\0')) return 'must not have a NUL character'
  if (!value.isWellFormed()) return 'must not have half a character'
  return Buffer.byteLength(value) > LONGEST_TEXT_BYTES
    ? `must have at most ${LONGEST_TEXT_BYTES} bytes`
    : null
}

/** Where it leads is looked at when the job is run. */
const path = z
  .string()
  .min(1, 'must not be empty')
  .max(LONGEST_PATH, `must have at most ${LONGEST_PATH} characters`)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not have control characters')
  .refine((value) => value.isWellFormed(), 'must not have half a character')

const env = z
  .record(z.string().meta({ pattern: ALLOWED_ENV_PATTERN, maxLength: LONGEST_ENV_NAME }), passedText)
  .superRefine((variables, context) => {
    const names = Object.keys(variables)
    if (names.length > MOST_ENV) {
      context.addIssue({ code: 'custom', message: `must have at most ${MOST_ENV} variables` })
      return
    }
    for (const name of names) {
      const message = envNameProblem(name)
      if (message !== null) context.addIssue({ code: 'custom', path: [name], message })
    }
  })
  .meta({ maxProperties: MOST_ENV })

function envNameProblem(name: string): string | null {
  if (!ENV_NAME.test(name))
    return 'is not a name for a variable: letters, digits and "_", not beginning with a digit'
  if (name.length > LONGEST_ENV_NAME) return `must have a name of at most ${LONGEST_ENV_NAME} characters`
  return isRefusedEnv(name) ? 'may not be set by a job: it changes what is executed or loaded' : null
}

const metadata = z.looseObject({
  retry_policy: z
    .string()
    .regex(
      new RegExp(`^(?:none|retry_same|escalate_to_${TOOL_NAME})$`),
      'must be none, retry_same or escalate_to_ and the name of a tool',
    )
    .optional(),
  timeout_seconds: z
    .number()
    .positive('must be more than 0')
    .max(LONGEST_TIMEOUT_SECONDS, `must be at most ${LONGEST_TIMEOUT_SECONDS}`)
    .optional(),
  max_retries: z
    .int('must be a whole number')
    .min(0, 'must be 0 or more')
    .max(MOST_RETRIES, `must be at most ${MOST_RETRIES}`)
    .optional(),
  message_file: path.optional(),
  files_scope: z.array(path).max(MOST_FILES, `must have at most ${MOST_FILES} files`).optional(),
})

export const toolJobSchema = z
  .strictObject({
    job_id: id,
    run_id: id.optional(),
    workstream_id: id,
    tool: toolName,
    command: z.strictObject({
      exe: path,
      args: z.array(passedText).max(MOST_ARGS, `must have at most ${MOST_ARGS} arguments`),
    }),
    env,
    paths: z.strictObject({ repo_root: path, working_dir: path, log_file: path, error_report: path }),
    metadata: metadata.optional(),
  })
  .meta({ title: 'Tool job', description: 'One run of a tool in a repository, as Waybill takes it.' })
