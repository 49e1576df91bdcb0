// The settings in force on a node: the value, the source and the default of each setting.

import { type Config, SETTINGS, type Setting } from './settings.ts'

/** A setting in force. */
export interface SettingInForce {
  readonly name: string
  /** Value as given, or the default; `set` for a setting that may contain a secret, and null for none. */
  readonly value: string | null
  readonly source: 'environment' | 'file' | 'default'
  /** Default in words. */
  readonly default: string
  readonly description: string
}

/** Returns all settings in force, in the order of the documentation. */
export const settingsInForce = (config: Config): SettingInForce[] =>
  (Object.entries(SETTINGS) as [keyof typeof SETTINGS, Setting<unknown>][]).map(
    ([key, { name, kind, shown, sentence }]) => {
      const given = config.given?.[name]
      const isSecret = given !== undefined && kind.secret === true
      return {
        name,
        value: isSecret ? 'set' : (given?.text ?? textOf(config[key])),
        source: given?.source ?? 'default',
        default: shown.replaceAll('`', ''),
        description: sentence.replaceAll('`', ''),
      }
    },
  )

const textOf = (value: unknown): string | null => {
  if (value === undefined) return null
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
