// Filter fields of a list: a text field that waits until the user stops typing, choices, and filters in the URL.

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

/** Text field that calls `onChange` after the user has stopped typing. */
export function SearchText({ label, value, onChange, error }: SearchTextProps) {
  const [typed, setTyped] = useState(value)
  const [known, setKnown] = useState(value)
  if (value !== known) {
    setKnown(value)
    if (value !== typed.trim()) setTyped(value)
  }
  const { pathname } = useLocation()
  // The user may have opened another page during the pause, or another page may be loading.
  const ask = useEffectEvent(() => {
    if (pathname === window.location.pathname) onChange(typed.trim())
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing or another page starts the pause
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
  /** Label of the empty choice; by default, the label of the field. */
  readonly all?: string
  readonly value: string | undefined
  readonly onChange: (value: string) => void
  readonly data: readonly { readonly value: string; readonly label: string }[]
  readonly w?: number
}

/** Native select element of the browser, which needs no additional code and looks as usual on the device. */
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

/** Field for a local date and time. */
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

/** Returns a change that removes all of these filters. */
export const allEmpty = <Name extends string>(names: readonly Name[]): Values<Name> =>
  Object.fromEntries(names.map((name) => [name, ''])) as Values<Name>

/**
 * Returns the values of these names in the URL, and a function that changes some of them; empty values are removed from
 * the URL.
 */
export function useAddressFilter<Name extends string>(
  names: readonly Name[],
): [Values<Name>, (change: Values<Name>) => void] {
  const [search, setSearch] = useSearchParams()
  const filter: Values<Name> = {}
  for (const name of names) {
    const value = search.get(name)
    if (value) filter[name] = value
  }
  // The second of two changes in the same tick must include the first, which is not in the URL yet.
  const latest = useRef(search)
  useEffect(() => {
    latest.current = search
  }, [search])
  const change = (changed: Values<Name>) => {
    const after = new URLSearchParams(latest.current)
    // A changed list begins with its first page.
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
