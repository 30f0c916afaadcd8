import { debuglog } from 'node:util'

/** The shape of a pino logger; any logger with these methods will do. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

const print = debuglog('waybill')

/** Silent unless NODE_DEBUG=waybill: a library does not write on its user's terminal. */
export const debugLogger: Logger = {
  debug: (fields, message) => print('%s %j', message, fields),
  info: (fields, message) => print('%s %j', message, fields),
  warn: (fields, message) => print('WARN %s %j', message, fields),
  error: (fields, message) => print('ERROR %s %j', message, fields),
}

/** The same logger, which says these fields each time. */
export function withFields(logger: Logger, fields: object): Logger {
  const at = (level: keyof Logger) => (more: object, message: string) =>
    logger[level]({ ...fields, ...more }, message)
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
}
