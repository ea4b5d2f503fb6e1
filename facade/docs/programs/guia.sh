# paso: preparar
SALDO=${SALDO:-http://127.0.0.1:3000}
PAUSA_S=${PAUSA_S:-10} # TOKEN es <api_key>.<api_secret>

llamar() { # llamar METODO RUTA [CUERPO] [CLAVE]: el cuerpo queda en respuesta.json; las cabeceras, en cabeceras.txt
  curl -s -o respuesta.json -D cabeceras.txt -X "$1" "$SALDO$2" -H "Authorization: Bearer $TOKEN" \
    ${3:+-H 'Content-Type: application/json' -d "$3"} ${4:+-H "Idempotency-Key: $4"}
}
estado() { awk 'NR == 1 { print $2 }' cabeceras.txt; }
cabecera() { tr -d '\r' < cabeceras.txt | awk -F ': ' -v n="$1" 'tolower($1) == tolower(n) { print $2 }'; }
campo() { grep -o "\"$1\":[^,}]*" | head -n 1 | cut -d : -f 2- | tr -d '"'; } # el primero con ese nombre
nueva_clave() { cat /proc/sys/kernel/random/uuid 2> /dev/null || uuidgen; }

# paso: cuenta
llamar GET /v1/cuenta
echo "ambiente: $(campo ambiente < respuesta.json)"

# paso: saldo
llamar GET /v1/saldo
echo "disponible: $(campo saldo_disponible < respuesta.json)"

# paso: catalogo
llamar GET /v1/servicios
tr '{' '\n' < respuesta.json > servicios.txt # un servicio por línea
servicio=$(grep '"flujo":"monto_libre"' servicios.txt | campo id)
echo "servicio: $servicio"

# paso: vender
clave=$(nueva_clave) # guárdela junto al pedido, antes de llamar
pedido="{\"service_id\": $servicio, \"identifier\": \"8095551234\", \"amount\": 100, \"terminal_id\": \"caja-1\"}"
llamar POST /v1/recargas "$pedido" "$clave"
venta=$(campo transaction_id < respuesta.json)
echo "venta: $(campo status < respuesta.json)"

# paso: repetir
vender() { # vender CUERPO CLAVE: repite con la misma clave y el mismo cuerpo, así que no se cobra dos veces
  for intento in 1 2 3 4 5; do
    : > cabeceras.txt
    llamar POST /v1/recargas "$1" "$2" || true # sin respuesta, cabeceras.txt queda vacío
    case "$(estado) $(campo code < respuesta.json)" in
      " "* | "5"* | "429 "* | "409 IDEMPOTENT_REQUEST_IN_PROGRESS") ;;
      *) return 0 ;;
    esac
    pausa=$(cabecera Retry-After)
    sleep "${pausa:-1}"
  done
}
vender "$pedido" "$clave"
echo "repetida: $(cabecera Idempotent-Replay)"

# paso: pendiente
vender "{\"service_id\": $servicio, \"identifier\": \"8095551232\", \"amount\": 100}" "$(nueva_clave)"
echo "estado HTTP: $(estado)"
consulta=$(cabecera Location)
resultado=PENDING
vez=1
while [ -n "$consulta" ] && [ "$resultado" = PENDING ] && [ "$vez" -le 12 ]; do
  sleep "$PAUSA_S"
  llamar GET "$consulta"
  resultado=$(campo status < respuesta.json)
  vez=$((vez + 1))
done
echo "pendiente: $resultado"

# paso: error
llamar POST /v1/recargas "{\"service_id\": $servicio, \"identifier\": \"8095551234\", \"amount\": -1}" "$(nueva_clave)"
echo "error: $(estado) $(campo code < respuesta.json)"

# paso: comprobante
llamar GET "/v1/transacciones/$venta/recibo"
mismo=$(campo transaction_id < respuesta.json | grep -qx "$venta" && echo true)
llamar GET "/v1/transacciones/$venta/recibo?formato=pdf"
mv respuesta.json comprobante.pdf
echo "comprobante: $mismo $(cabecera Content-Type)"

# paso: anular
anulable=$(grep '"acepta_anulacion":true' servicios.txt | campo id)
vender "{\"service_id\": $anulable, \"identifier\": \"204510003\", \"amount\": 100}" "$(nueva_clave)"
errada=$(campo transaction_id < respuesta.json)
llamar POST "/v1/transacciones/$errada/anular" "" "$(nueva_clave)"
echo "anulacion: $(campo status < respuesta.json)"

# paso: seguro
llamar GET /v1/seguros
seguro=$(campo service_id < respuesta.json)
llamar POST /v1/seguros "{\"service_id\": $seguro, \"cedula\": \"00112345678\", \"telefono\": \"8095551234\", \"placa\": \"A123458\"}"
id=$(campo seguro_id < respuesta.json)
llamar POST "/v1/seguros/$id/otp/verificar" '{"codigo": "123456"}' # el código del SMS
version=$(sed 's/.*"versiones"//' respuesta.json | campo id)
llamar GET "/v1/seguros/$id/planes?version=$(echo "$version" | sed 's/ /%20/g')"
plan=$(campo cd_tipo_plan < respuesta.json)
llamar POST "/v1/seguros/$id/plan" "{\"version\": \"$version\", \"cd_tipo_plan\": \"$plan\"}"
llamar POST "/v1/seguros/$id/cotizar" '{"incluye_grua": true}'
opcion=$(campo opcion_id < respuesta.json)
vender "{\"service_id\": $seguro, \"identifier\": \"A123458\", \"opcion_id\": \"$opcion\"}" "$(nueva_clave)"
echo "poliza: $(campo status < respuesta.json)"
llamar GET "/v1/seguros/$id/documento?tipo=poliza"
mv respuesta.json poliza.pdf

# paso: webhook
receptor=${RECEPTOR:-https://tienda.example.com/saldo}
llamar POST /v1/webhooks "{\"url\": \"$receptor\", \"eventos\": [\"transaction.succeeded\"]}"
echo "webhook: $(campo estado < respuesta.json)" # guarde data.secreto: no se vuelve a mostrar

# paso: limites
llamar GET /v1/saldo
echo "limite: $(cabecera X-RateLimit-Limit)"
