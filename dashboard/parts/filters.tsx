// Fields that narrow a list: a text that is asked for when the user has stopped typing, and a choice.

import { Select, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useState } from 'react'

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
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the pause
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(() => onChange(typed.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
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
  readonly value: string | undefined
  readonly onChange: (value: string) => void
  readonly data: readonly { readonly value: string; readonly label: string }[]
}

export function Choice({ label, value, onChange, data }: ChoiceProps) {
  return (
    <Select
      aria-label={label}
      placeholder={label}
      value={value ?? null}
      onChange={(chosen) => onChange(chosen ?? '')}
      data={[...data]}
      clearable
      comboboxProps={{ width: 200, position: 'bottom-start' }}
    />
  )
}
