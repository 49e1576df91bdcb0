// A connection to the built-in mail server: the library's, but for the addresses, which it reads too narrowly.

import { SMTPConnection } from 'smtp-server/lib/smtp-connection.js'
import { isAddress, parseAddress } from '../model/address.ts'

/** What `parseAddress` takes has no angle brackets, also not in quotes. */
const PATH = /^([^<]*<)([^<>]+)(>.*)$/s

/** Takes every address that Postrider accepts, such as `"a b"@y.test`. */
export class MailHostConnection extends SMTPConnection {
  override _parseAddressCommand(
    name: string,
    command: Buffer | string,
  ): ReturnType<SMTPConnection['_parseAddressCommand']> {
    const [, before, path = '', behind] = PATH.exec(command.toString()) ?? []
    const address = parseAddress(path)
    if (!isAddress(address)) return super._parseAddressCommand(name, command)
    // For the library any plain address will do; it reads the parameters.
    const parsed = super._parseAddressCommand(name, `${before}somebody@example.test${behind}`)
    return parsed === false ? false : { ...parsed, address: address.email }
  }
}
