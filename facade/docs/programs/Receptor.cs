// Recibe los webhooks de Saldo y verifica su firma, con la biblioteca estándar de .NET 6 o posterior.
// Inícielo con dotnet run en un proyecto de consola.
using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Net;
using System.Security.Cryptography;
using System.Text;

static class Receptor
{
    const long Tolerancia_s = 5 * 60;
    const long CuerpoMaximo = 64 * 1024;

    // Dice si la firma es correcta y la hora, reciente. El cuerpo son los bytes recibidos, sin cambios.
    static bool EsAutentica(string id, string hora, string firmas, byte[] cuerpo, byte[] clave)
    {
        long enviado;
        if (!long.TryParse(hora, NumberStyles.None, CultureInfo.InvariantCulture, out enviado)) return false;
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - enviado) > Tolerancia_s) return false;
        byte[] firmado = Encoding.UTF8.GetBytes(id + "." + hora + ".").Concat(cuerpo).ToArray();
        using (var hmac = new HMACSHA256(clave))
        {
            byte[] esperada = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(hmac.ComputeHash(firmado)));
            // Durante una rotación llegan dos firmas, separadas por un espacio. Basta con que una sea la esperada.
            // FixedTimeEquals compara en tiempo constante.
            return firmas.Split(' ').Any(firma =>
                CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(firma), esperada));
        }
    }

    static void Recibir(string id, byte[] cuerpo)
    {
        // Guarde aquí el evento con su id como clave única, y no haga nada si ya lo tiene. Procéselo después de
        // responder. System.Text.Json lee el cuerpo.
        Console.WriteLine(id + " " + cuerpo.Length + " bytes");
    }

    static int Responder(HttpListenerRequest peticion, byte[] clave)
    {
        if (peticion.ContentLength64 < 0 || peticion.ContentLength64 > CuerpoMaximo) return 413;
        var bytes = new MemoryStream();
        peticion.InputStream.CopyTo(bytes);
        byte[] cuerpo = bytes.ToArray();
        string id = peticion.Headers["webhook-id"] ?? "";
        string hora = peticion.Headers["webhook-timestamp"] ?? "";
        string firmas = peticion.Headers["webhook-signature"] ?? "";
        if (!EsAutentica(id, hora, firmas, cuerpo, clave)) return 401;
        Recibir(id, cuerpo);
        return 204;
    }

    static void Main()
    {
        string secreto = Environment.GetEnvironmentVariable("SALDO_WEBHOOK_SECRETO") ?? "";
        if (!secreto.StartsWith("whsec_")) throw new InvalidOperationException("Falta SALDO_WEBHOOK_SECRETO");
        byte[] clave = Convert.FromBase64String(secreto.Substring("whsec_".Length));
        string url = "http://127.0.0.1:" + (Environment.GetEnvironmentVariable("PORT") ?? "8080") + "/";
        var servidor = new HttpListener();
        servidor.Prefixes.Add(url);
        servidor.Start();
        Console.WriteLine("Recibe en " + url);
        while (true)
        {
            HttpListenerContext contexto = servidor.GetContext();
            try
            {
                contexto.Response.StatusCode = Responder(contexto.Request, clave);
                contexto.Response.Close();
            }
            catch (Exception error)
            {
                Console.Error.WriteLine(error);
                contexto.Response.Abort();
            }
        }
    }
}
