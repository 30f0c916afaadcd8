import { Option } from 'commander'
import { wholeNumber } from './numbers.ts'

export interface InFlightOptions {
  readonly inFlightLimit?: number
}

export function inFlightOption(): Option {
  return new Option('--in-flight-limit <n>', 'how many open jobs a tenant may have; 100 unless told')
    .env('WAYBILL_IN_FLIGHT_LIMIT')
    .argParser((text) => wholeNumber('in-flight-limit', text, 1))
}
