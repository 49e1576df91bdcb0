// Fields that narrow a list: a text that is asked for when the user has stopped typing, a choice; and the filter in the address.

import { NativeSelect, TextInput } from '@mantine/core'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { IconSearch } from './icons.tsx'

const PAUSE_MS = 300

interface SearchTextProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error: string | undefined
}

/** Asks when the user has stopped typing. */
export function SearchText({ label, value, onChange, error }: SearchTextProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    if (value !== typed.trim()) setTyped(value)
  }
  const { pathname } = useLocation()
  // The page as it is when the pause ends: another one may have come by then, or be on its way.
  const ask = useEffectEvent(() => {
    if (pathname === window.location.pathname) onChange(typed.trim())
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause, and anew where another page has come
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(ask, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, pathname])
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      error={error}
      leftSection={<IconSearch size={14} stroke={1.6} />}
      autoComplete="off"
      spellCheck={false}
      maxLength={200}
    />
  )
}

interface ChoiceProps {
  readonly label: string
  /** Words for no choice; the label unless told. */
  readonly all?: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
  readonly data: readonly { readonly value: string; readonly label: string }[]
  readonly w?: number
}

/** The browser's own: there at once, and of the device's kind. */
export function Choice({ label, all, value, onChange, data, w }: ChoiceProps) {
  return (
    <NativeSelect
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[{ value: '', label: all ?? label }, ...data]}
      w={w}
    />
  )
}

interface MomentProps {
  readonly label: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
}

/** A local date and time. */
export const Moment = ({ label, value, onChange }: MomentProps) => (
  <TextInput
    type="datetime-local"
    aria-label={label}
    leftSection={label}
    leftSectionWidth={52}
    value={value ?? ''}
    onChange={(event) => onChange(event.currentTarget.value)}
    miw={250}
  />
)

type Values<Name extends string> = Partial<Record<Name, string>>

/** The change that takes all of these away. */
export const allEmpty = <Name extends string>(names: readonly Name[]): Values<Name> =>
  Object.fromEntries(names.map((name) => [name, ''])) as Values<Name>

/** The values of these names in the address, and a function that changes some of them; empty ones are left out. */
export function useAddressFilter<Name extends string>(
  names: readonly Name[],
): [Values<Name>, (change: Values<Name>) => void] {
  const [search, setSearch] = useSearchParams()
  const filter: Values<Name> = {}
  for (const name of names) {
    const value = search.get(name)
    if (value) filter[name] = value
  }
  // Two changes within one tick: the second one adds to the first, which the address does not show yet.
  const latest = useRef(search)
  useEffect(() => {
    latest.current = search
  }, [search])
  const change = (changed: Values<Name>) => {
    const after = new URLSearchParams(latest.current)
    // Another list begins with its first page.
    after.delete('cursor')
    for (const [name, value] of Object.entries(changed)) {
      if (value) after.set(name, String(value))
      else after.delete(name)
    }
    latest.current = after
    setSearch(after, { replace: true })
  }
  return [filter, change]
}
