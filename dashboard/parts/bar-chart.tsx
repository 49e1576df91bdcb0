// Stacked bars over time, with an equivalent table for screen readers; small enough for the first page load.

import { useElementSize } from '@mantine/hooks'
import { type CSSProperties, useState } from 'react'
import { tables } from '../texts/en/tables.ts'
import { labelEvery, labelWidth, ticksTo } from './chart-scale.ts'
import { short, whole } from './numbers.ts'

interface Series {
  readonly label: string
  /** Colour as any CSS value. */
  readonly color: string
}

export interface Bar {
  readonly label: string
  /** Short label below the bar; by default, `label`. */
  readonly tick?: string
  /**
   * Position of the bar in the labelling: a bar has a label if the interval of labels divides its position; by
   * default, bars are counted from the last one.
   */
  readonly place?: number
  /** Values of the series, in the order of the series. */
  readonly values: readonly number[]
}

interface BarChartProps {
  /** Caption of the table for screen readers. */
  readonly caption: string
  readonly series: readonly Series[]
  readonly bars: readonly Bar[]
  readonly height?: number
  /** Permitted intervals of labels, in ascending order; by default, all. */
  readonly steps?: readonly number[] | undefined
}

/** Space for the labels, in pixels. */
const LEFT = 44
const BOTTOM = 28
const TOP = 8
const WIDEST_BAR = 40

export function BarChart({ caption, series, bars, height = 260, steps }: BarChartProps) {
  const { ref, width } = useElementSize()
  const [pointed, setPointed] = useState<number>()
  const bar = pointed === undefined ? undefined : bars[pointed]
  return (
    <div className="bar-chart">
      {series.length > 1 && <Legend series={series} />}
      <div ref={ref} style={{ height }} aria-hidden="true" onPointerLeave={() => setPointed(undefined)}>
        {width > LEFT && (
          <Drawing {...{ series, bars, width, height, steps, pointed }} onPoint={setPointed} />
        )}
        {bar !== undefined && pointed !== undefined && (
          <Tip bar={bar} series={series} place={(LEFT + (pointed + 0.5) * slotOf(width, bars)) / width} />
        )}
      </div>
      <DataTable caption={caption} series={series} bars={bars} />
    </div>
  )
}

const slotOf = (width: number, bars: readonly Bar[]): number => (width - LEFT) / Math.max(1, bars.length)

const totalOf = ({ values }: Bar): number => values.reduce((sum, value) => sum + value, 0)

interface DrawingProps {
  readonly series: readonly Series[]
  readonly bars: readonly Bar[]
  readonly width: number
  readonly height: number
  readonly steps: readonly number[] | undefined
  readonly pointed: number | undefined
  readonly onPoint: (index: number) => void
}

function Drawing({ series, bars, width, height, steps, pointed, onPoint }: DrawingProps) {
  const ticks = ticksTo(Math.max(0, ...bars.map(totalOf)))
  const top = ticks.at(-1) ?? 1
  const inside = height - TOP - BOTTOM
  const y = (value: number): number => TOP + inside * (1 - value / top)
  const slot = slotOf(width, bars)
  const characters = Math.max(0, ...bars.map(({ label, tick = label }) => tick.length))
  const every = labelEvery(bars.length, width - LEFT, characters, steps)
  // All labels are below the middle of their bars; a label that would extend beyond an edge is left out.
  const hasLabel = ({ place }: Bar, index: number): boolean =>
    (place ?? bars.length - 1 - index) % every === 0 &&
    Math.min(LEFT + (index + 0.5) * slot, (bars.length - index - 0.5) * slot) >= labelWidth(characters) / 2
  return (
    <svg width={width} height={height} aria-hidden="true" focusable="false">
      {ticks.map((tick) => (
        <g key={tick}>
          <line className="bar-chart-line" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
          <text className="bar-chart-label" x={LEFT - 10} y={y(tick) + 4} textAnchor="end">
            {short(tick)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
        <g key={index} onPointerEnter={() => onPoint(index)}>
          <rect
            className="bar-chart-slot"
            data-pointed={index === pointed || undefined}
            x={LEFT + index * slot}
            y={TOP}
            width={slot}
            height={inside}
          />
          <Stack series={series} bar={bar} middle={LEFT + (index + 0.5) * slot} slot={slot} y={y} />
          {hasLabel(bar, index) && (
            <text
              className="bar-chart-label"
              x={LEFT + (index + 0.5) * slot}
              y={height - 8}
              textAnchor="middle"
            >
              {bar.tick ?? bar.label}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

/** Names and colours of the series; screen readers get them from the table. */
const Legend = ({ series }: Pick<BarChartProps, 'series'>) => (
  <div className="bar-chart-legend" aria-hidden="true">
    {series.map(({ label, color }) => (
      <span key={label} className="status" style={{ '--tone': color } as CSSProperties}>
        {label}
      </span>
    ))}
  </div>
)

interface StackProps {
  readonly series: readonly Series[]
  readonly bar: Bar
  readonly middle: number
  readonly slot: number
  readonly y: (value: number) => number
}

function Stack({ series, bar, middle, slot, y }: StackProps) {
  const width = Math.min(WIDEST_BAR, Math.max(1, slot * 0.7))
  let below = 0
  return bar.values.map((value, index) => {
    const from = below
    below += value
    const { label = '', color } = series[index] ?? {}
    return (
      <rect
        key={label}
        x={middle - width / 2}
        y={y(below)}
        width={width}
        height={y(from) - y(below)}
        style={{ fill: color }}
      />
    )
  })
}

interface TipProps {
  readonly bar: Bar
  readonly series: readonly Series[]
  /** Horizontal position, from 0 (left) to 1 (right). */
  readonly place: number
}

function Tip({ bar, series, place }: TipProps) {
  const side = place > 0.5 ? { right: `${(1 - place) * 100}%` } : { left: `${place * 100}%` }
  return (
    <div className="bar-chart-tip" style={side}>
      <b>{bar.label}</b>
      {series.map(({ label, color }, index) => (
        <div key={label} className="bar-chart-row">
          <span className="status" style={{ '--tone': color } as CSSProperties}>
            {label}
          </span>
          <span>{whole(bar.values[index] ?? 0)}</span>
        </div>
      ))}
    </div>
  )
}

function DataTable({ caption, series, bars }: Omit<BarChartProps, 'height' | 'steps'>) {
  return (
    // The table is inside another element, because a table does not shrink below the size of its content.
    <div className="visually-hidden">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{tables.time}</th>
            {series.map(({ label }) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label, values }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time
            <tr key={index}>
              <th scope="row">{label}</th>
              {series.map((one, place) => (
                <td key={one.label}>{values[place]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
