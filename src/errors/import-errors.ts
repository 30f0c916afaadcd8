// What keeps the jobs of another system from being taken over.
import { WaybillError } from './waybill-error.ts'

/** Somebody is working on some of them: taken over now, they would be done twice. */
export class ImportActiveJobs extends WaybillError {
  constructor(title: string, active: number, waitedMs: number | null) {
    const waited = waitedMs === null ? '' : ` after ${Math.round(waitedMs / 1000)} s`
    super({
      code: 'IMPORT_ACTIVE_JOBS',
      message: `${active} ${active === 1 ? 'job is' : 'jobs are'} being worked on in ${title}${waited}: taken over now, ${active === 1 ? 'it' : 'they'} could be done twice`,
      next: `Stop the workers of ${title} and let them finish. --active wait waits for that, --active leave takes over the others only, --active take takes over these too.`,
      details: { active },
    })
  }
}

/** It is kept in a form that nobody here has seen. */
export class ImportUnknownVersion extends WaybillError {
  constructor(title: string, found: string, known: string) {
    super({
      code: 'IMPORT_UNKNOWN_VERSION',
      message: `This is ${title} with ${found}, and what can be read is ${known}`,
      next: `Bring ${title} to a version that can be read, as it does itself when it starts; or use a version of Waybill that knows this one.`,
      details: { found, known },
    })
  }
}

/** There is nothing of the kind at this place. */
export class ImportNoSource extends WaybillError {
  constructor(message: string, next: string) {
    super({ code: 'IMPORT_NO_SOURCE', message, next })
  }
}

/** The database of the other system does not answer, or not as it should. */
export class ImportUnreachable extends WaybillError {
  constructor(where: string, { cause }: ErrorOptions) {
    const why = cause instanceof Error ? cause.message || (cause as { code?: string }).code : String(cause)
    super({
      code: 'IMPORT_UNREACHABLE',
      message: `${where} cannot be read: ${why}`,
      next: 'Look whether the URL is right, the server runs, and this user may read it. Nothing is lost: run it again.',
      details: { where },
      cause,
    })
  }
}
