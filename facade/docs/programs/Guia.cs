// paso: preparar
using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text;
using System.Text.Json;
using System.Threading.Tasks;

static class Guia
{
    static readonly HttpClient http = new HttpClient();
    static readonly string saldo = Environment.GetEnvironmentVariable("SALDO") ?? "http://127.0.0.1:3000";
    static readonly string token = Environment.GetEnvironmentVariable("TOKEN"); // <api_key>.<api_secret>
    static readonly int pausa_s = int.Parse(Environment.GetEnvironmentVariable("PAUSA_S") ?? "10");

    static Task<HttpResponseMessage> Llamar(string metodo, string ruta, object cuerpo = null, string clave = null)
    {
        var pedido = new HttpRequestMessage(new HttpMethod(metodo), saldo + ruta);
        pedido.Headers.Add("Authorization", $"Bearer {token}");
        if (clave != null) pedido.Headers.Add("Idempotency-Key", clave);
        if (cuerpo != null)
            pedido.Content = new StringContent(JsonSerializer.Serialize(cuerpo), Encoding.UTF8, "application/json");
        return http.SendAsync(pedido);
    }

    static async Task<JsonElement> Sobre(HttpResponseMessage respuesta) =>
        JsonDocument.Parse(await respuesta.Content.ReadAsStringAsync()).RootElement;

    static string Codigo(JsonElement sobre) =>
        sobre.TryGetProperty("error", out var error) ? error.GetProperty("code").GetString() : null;

    static async Task<JsonElement> Leer(HttpResponseMessage respuesta)
    {
        var sobre = await Sobre(respuesta);
        if (Codigo(sobre) == null) return sobre.GetProperty("data");
        throw new Exception($"{Codigo(sobre)} (request_id {sobre.GetProperty("request_id")})");
    }

    static async Task<JsonElement> Pedir(string metodo, string ruta, object cuerpo = null, string clave = null) =>
        await Leer(await Llamar(metodo, ruta, cuerpo, clave));

    static string Cabecera(HttpResponseMessage respuesta, string nombre) =>
        respuesta.Headers.TryGetValues(nombre, out var valores) ? valores.First() : null;

    static string NuevaClave() => Guid.NewGuid().ToString();

    static async Task Main()
    {
        // paso: cuenta
        Console.WriteLine($"ambiente: {(await Pedir("GET", "/v1/cuenta")).GetProperty("ambiente")}");

        // paso: saldo
        Console.WriteLine($"disponible: {(await Pedir("GET", "/v1/saldo")).GetProperty("saldo_disponible")}");

        // paso: catalogo
        var servicios = (await Pedir("GET", "/v1/servicios")).EnumerateArray().ToList();
        var libre = servicios.First(cada => cada.GetProperty("flujo").GetString() == "monto_libre");
        var servicio = libre.GetProperty("id").GetInt64();
        Console.WriteLine($"servicio: {servicio}");

        // paso: vender
        var clave = NuevaClave(); // guárdela junto al pedido, antes de llamar
        var pedido = new { service_id = servicio, identifier = "8095551234", amount = 100, terminal_id = "caja-1" };
        var venta = await Pedir("POST", "/v1/recargas", pedido, clave);
        Console.WriteLine($"venta: {venta.GetProperty("status")}");

        // paso: repetir
        // Repite con la misma clave y el mismo cuerpo, así que no se cobra dos veces.
        async Task<HttpResponseMessage> Vender(object pedido, string clave)
        {
            for (var intento = 1; ; intento++)
            {
                HttpResponseMessage respuesta = null;
                try { respuesta = await Llamar("POST", "/v1/recargas", pedido, clave); }
                catch (Exception) when (intento < 5) { } // sin respuesta
                var estado = respuesta == null ? 0 : (int)respuesta.StatusCode;
                var repetible = estado == 0 || estado >= 500 || estado == 429 ||
                    estado == 409 && Codigo(await Sobre(respuesta)) == "IDEMPOTENT_REQUEST_IN_PROGRESS";
                if (!repetible || intento == 5) return respuesta;
                var pausa = respuesta == null ? null : Cabecera(respuesta, "Retry-After");
                await Task.Delay(TimeSpan.FromSeconds(int.Parse(pausa ?? "1")));
            }
        }

        Console.WriteLine($"repetida: {Cabecera(await Vender(pedido, clave), "Idempotent-Replay")}");

        // paso: pendiente
        var incierta = await Vender(
            new { service_id = servicio, identifier = "8095551232", amount = 100 }, NuevaClave());
        Console.WriteLine($"estado HTTP: {(int)incierta.StatusCode}");
        var resultado = "PENDING";
        for (var vez = 1; (int)incierta.StatusCode == 202 && resultado == "PENDING" && vez <= 12; vez++)
        {
            await Task.Delay(TimeSpan.FromSeconds(pausa_s));
            resultado = (await Pedir("GET", Cabecera(incierta, "Location"))).GetProperty("status").GetString();
        }
        Console.WriteLine($"pendiente: {resultado}");

        // paso: error
        var rechazada = await Llamar(
            "POST", "/v1/recargas", new { service_id = servicio, identifier = "8095551234", amount = -1 }, NuevaClave());
        Console.WriteLine($"error: {(int)rechazada.StatusCode} {Codigo(await Sobre(rechazada))}");

        // paso: comprobante
        var recibo = $"/v1/transacciones/{venta.GetProperty("transaction_id")}/recibo";
        var comprobante = await Pedir("GET", recibo);
        var pdf = await Llamar("GET", $"{recibo}?formato=pdf");
        File.WriteAllBytes("comprobante.pdf", await pdf.Content.ReadAsByteArrayAsync());
        var mismo = $"{comprobante.GetProperty("transaction_id")}" == $"{venta.GetProperty("transaction_id")}";
        Console.WriteLine($"comprobante: {(mismo ? "true" : "false")} {pdf.Content.Headers.ContentType}");

        // paso: anular
        var anulable = servicios.First(cada => cada.GetProperty("acepta_anulacion").GetBoolean()).GetProperty("id").GetInt64();
        var errada = await Leer(
            await Vender(new { service_id = anulable, identifier = "204510003", amount = 100 }, NuevaClave()));
        var anulacion = await Pedir(
            "POST", $"/v1/transacciones/{errada.GetProperty("transaction_id")}/anular", null, NuevaClave());
        Console.WriteLine($"anulacion: {anulacion.GetProperty("status")}");

        // paso: seguro
        var service_id = (await Pedir("GET", "/v1/seguros")).GetProperty("servicios")[0].GetProperty("service_id").GetInt64();
        var iniciado = await Pedir("POST", "/v1/seguros",
            new { service_id, cedula = "00112345678", telefono = "8095551234", placa = "A123458" });
        var seguro = $"/v1/seguros/{iniciado.GetProperty("seguro_id")}";
        var verificado = await Pedir("POST", $"{seguro}/otp/verificar", new { codigo = "123456" }); // el código del SMS
        var version = verificado.GetProperty("versiones")[0].GetProperty("id").GetString();
        var ofrecidos = await Pedir("GET", $"{seguro}/planes?version={Uri.EscapeDataString(version)}");
        var cd_tipo_plan = ofrecidos.GetProperty("planes")[0].GetProperty("cd_tipo_plan").GetString();
        await Pedir("POST", $"{seguro}/plan", new { version, cd_tipo_plan });
        var cotizado = await Pedir("POST", $"{seguro}/cotizar", new { incluye_grua = true });
        var opcion_id = cotizado.GetProperty("opcion_id").GetString();
        var poliza = await Leer(await Vender(new { service_id, identifier = "A123458", opcion_id }, NuevaClave()));
        Console.WriteLine($"poliza: {poliza.GetProperty("status")}");
        var documento = await Llamar("GET", $"{seguro}/documento?tipo=poliza");
        File.WriteAllBytes("poliza.pdf", await documento.Content.ReadAsByteArrayAsync());

        // paso: webhook
        var receptor = Environment.GetEnvironmentVariable("RECEPTOR") ?? "https://tienda.example.com/saldo";
        var webhook = await Pedir("POST", "/v1/webhooks", new { url = receptor, eventos = new[] { "transaction.succeeded" } });
        Console.WriteLine($"webhook: {webhook.GetProperty("estado")}"); // guarde "secreto": no se vuelve a mostrar

        // paso: limites
        Console.WriteLine($"limite: {Cabecera(await Llamar("GET", "/v1/saldo"), "X-RateLimit-Limit")}");
        // paso: fin
    }
}
