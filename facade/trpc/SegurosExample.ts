/** Whom and what the examples of all steps insure. */
export const insured = {
  titular: "A*** N***",
  placa: "A123458",
  vehiculo: { marca: "Honda", modelo: "Civic", anio: 2011, tipo: "automovil", chasis: "***3458" }
}

/** The plan that the examples choose. */
export const plan = {
  cd_tipo_plan: "LEY-12",
  nombre: "Ley, un año",
  cobertura: "Lesiones y daños a terceros, lo que la ley exige, por un año.",
  vigencia_meses: 12,
  precio: 5_950.5
}

/** The extra that they take with it. */
export const tow = { codigo: "grua", nombre: "Servicio de grúa", precio: 850 }

/** What that costs together. */
export const total = 6_800.5
