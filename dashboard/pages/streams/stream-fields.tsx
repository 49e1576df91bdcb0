// Fields of a stream that sends, and of the unsubscribe page of a broadcast stream.

import { ColorInput, Fieldset, NumberInput, Select, Stack, Textarea, TextInput } from '@mantine/core'
import type { Stream } from './calls.ts'

/** The fields as they are typed. */
export interface Typed {
  readonly alias: string
  readonly name: string
  readonly kind: Stream['kind']
  readonly rate: string
  readonly hours: number | string
  readonly allowance: number | string
  readonly contentDays: number | string
  readonly storesContent: boolean
  readonly trackOpens: boolean | null
  readonly trackLinks: boolean | null
  readonly headers: string
  readonly brandName: string
  readonly logoUrl: string
  readonly color: string
  readonly addresses: string
  readonly archived: boolean
}

interface FieldsProps {
  readonly typed: Typed
  readonly set: (changed: Partial<Typed>) => void
  readonly problem: (path: string) => string | undefined
}

export function SendingFields({ typed, set, problem }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Rate limit"
        description="For example 50/s; empty for no limit"
        value={typed.rate}
        onChange={(event) => set({ rate: event.currentTarget.value })}
        error={problem('rate')}
      />
      <NumberInput
        label="Queue lifetime in hours"
        description="Undelivered recipients fail after this time; empty for the default of this installation"
        value={typed.hours}
        onChange={(hours) => set({ hours })}
        error={problem('retry_for_seconds')}
        min={0}
        decimalScale={2}
        hideControls
      />
      <NumberInput
        label="Sending allowance"
        description="Number of recipients left; empty for no limit"
        value={typed.allowance}
        onChange={(allowance) => set({ allowance })}
        error={problem('sending_allowance')}
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        hideControls
      />
      <TrackingSelect
        label="Track opens"
        value={typed.trackOpens}
        onChange={(trackOpens) => set({ trackOpens })}
        error={problem('track_opens')}
      />
      <TrackingSelect
        label="Track clicks"
        value={typed.trackLinks}
        onChange={(trackLinks) => set({ trackLinks })}
        error={problem('track_links')}
      />
      <Textarea
        label="Header fields"
        description="One per line, for example X-Campaign: spring. Added to messages that do not set the field themselves."
        value={typed.headers}
        onChange={(event) => set({ headers: event.currentTarget.value })}
        error={problem('headers')}
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
      />
    </>
  )
}

/** Colours to choose from, each readable under white or black. */
const SWATCHES = ['#14539a', '#0f766e', '#15803d', '#a16207', '#c2410c', '#be123c', '#7e22ce', '#1f2933']

export function BrandFields({ typed, set, problem }: FieldsProps) {
  return (
    <Fieldset legend="Unsubscribe page">
      <Stack>
        <TextInput
          label="Sender name"
          description="Empty for the domain"
          value={typed.brandName}
          onChange={(event) => set({ brandName: event.currentTarget.value })}
          error={problem('brand.name')}
          maxLength={100}
        />
        <TextInput
          label="Logo"
          description="The https address of an image"
          placeholder="https://example.com/logo.png"
          value={typed.logoUrl}
          onChange={(event) => set({ logoUrl: event.currentTarget.value })}
          error={problem('brand.logo_url')}
          maxLength={500}
          spellCheck={false}
        />
        <ColorInput
          label="Colour"
          placeholder="#14539a"
          format="hex"
          swatches={SWATCHES}
          withPicker={false}
          withEyeDropper={false}
          value={typed.color}
          onChange={(color) => set({ color })}
          error={problem('brand.color')}
        />
      </Stack>
    </Fieldset>
  )
}

interface TrackingSelectProps {
  readonly label: string
  readonly value: boolean | null
  readonly error: string | undefined
  readonly onChange: (value: boolean | null) => void
}

const TRACKING = [
  { value: 'domain', label: 'As the domain does' },
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

const TrackingSelect = ({ label, value, error, onChange }: TrackingSelectProps) => (
  <Select
    label={label}
    data={TRACKING}
    value={String(value ?? 'domain')}
    onChange={(chosen) => onChange(chosen === 'domain' ? null : chosen === 'true')}
    error={error}
    allowDeselect={false}
  />
)
