// Form fields for sending streams, for retention, and for the unsubscribe page of a broadcast stream.

import {
  Checkbox,
  ColorInput,
  Fieldset,
  NumberInput,
  Select,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { SEPARATORS } from '../../parts/numbers.ts'
import { streams as words } from '../../texts/en/streams.ts'
import type { Stream } from './calls.ts'

/** Values of the fields as the user has typed them. */
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
  readonly unsubscribe: Stream['unsubscribe']
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
        label={words.rateLimit}
        description={words.rateHint}
        value={typed.rate}
        onChange={(event) => set({ rate: event.currentTarget.value })}
        error={problem('rate')}
      />
      <NumberInput
        label={words.lifetime}
        description={words.lifetimeHint}
        value={typed.hours}
        onChange={(hours) => set({ hours })}
        error={problem('retry_for_seconds')}
        min={0}
        decimalScale={2}
        {...SEPARATORS}
        hideControls
      />
      <NumberInput
        label={words.sendingAllowance}
        description={words.allowanceHint}
        value={typed.allowance}
        onChange={(allowance) => set({ allowance })}
        error={problem('sending_allowance')}
        min={0}
        allowDecimal={false}
        {...SEPARATORS}
        hideControls
      />
      <TrackingSelect
        label={words.trackOpens}
        value={typed.trackOpens}
        onChange={(trackOpens) => set({ trackOpens })}
        error={problem('track_opens')}
      />
      <TrackingSelect
        label={words.trackClicks}
        value={typed.trackLinks}
        onChange={(trackLinks) => set({ trackLinks })}
        error={problem('track_links')}
      />
      <Textarea
        label={words.headers}
        description={words.headersHint}
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

export function RetentionFields({ typed, set, problem }: FieldsProps) {
  return (
    <>
      <NumberInput
        label={words.retention}
        description={words.retentionHint}
        value={typed.contentDays}
        onChange={(contentDays) => set({ contentDays })}
        error={problem('content_retention_days')}
        min={1}
        allowDecimal={false}
        hideControls
      />
      <Checkbox
        label={typed.kind === 'inbound' ? words.keepInbound : words.keepSent}
        checked={typed.storesContent}
        onChange={(event) => set({ storesContent: event.currentTarget.checked })}
      />
    </>
  )
}

/** Suggested colours, each readable below white or black text. */
const SWATCHES = ['#14539a', '#0f766e', '#15803d', '#a16207', '#c2410c', '#be123c', '#7e22ce', '#1f2933']

const UNSUBSCRIBE_BY = ['service', 'sender'] as const

/**
 * Fields of a broadcast stream about unsubscribing: the source of the link, and the appearance of the unsubscribe
 * page.
 */
export function UnsubscribeFields({ typed, set, problem }: FieldsProps) {
  return (
    <Fieldset legend={words.unsubscribing}>
      <Stack>
        <Select
          label={words.unsubscribeBy}
          description={words.unsubscribeHints[typed.unsubscribe]}
          data={UNSUBSCRIBE_BY.map((value) => ({ value, label: words.unsubscribe[value] }))}
          value={typed.unsubscribe}
          onChange={(chosen) => set({ unsubscribe: (chosen ?? 'service') as Stream['unsubscribe'] })}
          error={problem('unsubscribe')}
          allowDeselect={false}
        />
        <TextInput
          label={words.senderName}
          description={words.senderNameHint}
          value={typed.brandName}
          onChange={(event) => set({ brandName: event.currentTarget.value })}
          error={problem('brand.name')}
          maxLength={100}
        />
        <TextInput
          label={words.logo}
          description={words.logoHint}
          placeholder="https://example.com/logo.png"
          value={typed.logoUrl}
          onChange={(event) => set({ logoUrl: event.currentTarget.value })}
          error={problem('brand.logo_url')}
          maxLength={500}
          spellCheck={false}
        />
        <ColorInput
          label={words.colour}
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

const TRACKING = ['domain', 'true', 'false'] as const

const TrackingSelect = ({ label, value, error, onChange }: TrackingSelectProps) => (
  <Select
    label={label}
    data={TRACKING.map((value) => ({ value, label: words.tracking[value] }))}
    value={String(value ?? 'domain')}
    onChange={(chosen) => onChange(chosen === 'domain' ? null : chosen === 'true')}
    error={error}
    allowDeselect={false}
  />
)
