import {
  type CheckboxProps,
  createTheme,
  type MantineColorsTuple,
  type ModalProps,
} from "@mantine/core"

/**
 * The one accent. Text in shade 8 on white, and in shade 3 on the dark ground, has more than 4.5:1.
 */
const teal: MantineColorsTuple = [
  "#eaf6f5",
  "#d3eae8",
  "#a5d5d1",
  "#5cc7c1",
  "#3fa9a4",
  "#238c88",
  "#14716f",
  "#0b5c5c",
  "#094c4c",
  "#063838",
]

/** For what is destroyed and for what failed: the colours of the critical band. */
const red: MantineColorsTuple = [
  "#fef3f2",
  "#fee4e2",
  "#fecdca",
  "#fda29b",
  "#ff8f87",
  "#ff7b72",
  "#d92d20",
  "#b42318",
  "#912018",
  "#7a271a",
]

/**
 * The greys of the dark scheme, of the same tone as its ground: the library's own are brownish on
 * it.
 */
const dark: MantineColorsTuple = [
  "#e6edf3",
  "#c3ccd5",
  "#9aa5b1",
  "#6e7983",
  "#3d464e",
  "#2b3339",
  "#1e252a",
  "#0f1417",
  "#0b1012",
  "#080b0d",
]

export const theme = createTheme({
  colors: { teal, red, dark },
  primaryColor: "teal",
  primaryShade: { light: 7, dark: 6 },
  autoContrast: true,
  defaultRadius: "sm",
  fontFamily: "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SFMono-Regular', Menlo, Consolas, monospace",
  respectReducedMotion: true,
  headings: { fontWeight: "600" },
  // By type alone: importing the parts themselves would load them on every page.
  components: {
    // Large enough for a finger beside another one.
    Checkbox: { defaultProps: { size: "md" } satisfies Partial<CheckboxProps> },
    Modal: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" } } satisfies Partial<ModalProps>,
    },
  },
})
