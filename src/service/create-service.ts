import { Service, type ServiceOptions } from './service.ts'

/** A service for the steps that `handlers` names. It hears nothing until it listens, is mounted, or reads a bus. */
export function createService(options: ServiceOptions): Service {
  return new Service(options)
}
